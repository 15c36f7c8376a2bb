import '../i18n/further';
import { Button, Dialog, Flex, Text } from '@chakra-ui/react';
import { codePattern } from '@lightbox/contract/auth/rules.js';
import { securityCalls } from '@lightbox/contract/auth/securityCalls.js';
import type { BodyInput } from '@lightbox/contract/call.js';
import { signOnCalls } from '@lightbox/contract/signOn/calls.js';
import { BuildingsIcon, FingerprintIcon, ShieldCheckIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { choosePasskey, passkeysPossible } from '../auth/passkey';
import { askedAtom, type Way } from '../auth/proof';
import { goToProvider, hereAgain } from '../auth/signOn';
import { useWrongCode } from '../auth/useWrongCode';
import { errorText, faultAt } from '../lib/errors';
import { send } from '../lib/http';
import { toast } from '../lib/toaster';
import { CodeInput } from '../ui/CodeInput';
import { Modal } from '../ui/Modal';
import { PasswordField } from '../ui/PasswordField';

type Proof = BodyInput<typeof securityCalls.stepUp>;

/** Returns null when the person cancels the choice of a passkey. */
async function passkeyProof(): Promise<Proof | null> {
  const { data } = await send(securityCalls.askStepUpPasskey, { body: {} });
  const passkey = await choosePasskey(data);
  return passkey ? { passkey } : null;
}

/** Sends the person to the provider for a fresh sign-in. They come back to this screen, and repeat what they did. */
function ProviderProof() {
  const { t } = useTranslation();
  const go = useMutation({
    mutationFn: () => send(signOnCalls.beginSignOnStepUp, { body: { returnTo: hereAgain() } }),
    onSuccess: ({ data }) => goToProvider(data.url, 'stepUp'),
  });
  return (
    <>
      <Text fontSize="sm" color="fg.muted">
        {t('security.stepUp.help.signOn')}
      </Text>
      <Button w="full" mt="5" loading={go.isPending} onClick={() => go.mutate()}>
        <BuildingsIcon aria-hidden />
        {t('security.stepUp.use.signOn')}
      </Button>
    </>
  );
}

function useProof(way: Way, onProven: () => void) {
  const { t } = useTranslation();
  const wrongCode = useWrongCode(true);
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string>();
  const prove = useMutation({
    mutationFn: async () => {
      const body = way === 'passkey' ? await passkeyProof() : { [way]: typed };
      if (body) await send(securityCalls.stepUp, { body });
      return body !== null;
    },
    meta: { silent: 'always' },
    onSuccess: (proven) => proven && onProven(),
    onError: (error) => {
      if (way === 'passkey') return toast.error(errorText(error));
      if (way !== 'password') setTyped('');
      setFault(faultAt(error, 'password') ?? wrongCode(error) ?? errorText(error));
    },
  });
  const submit = () => {
    if (way === 'password' && !typed) return setFault(t('profile.remove.passwordNeeded'));
    if (['code', 'mailedCode'].includes(way) && !codePattern.test(typed))
      return setFault(t('auth.verify.appIncomplete'));
    setFault(undefined);
    prove.mutate();
  };
  const type = (next: string) => {
    setTyped(next);
    if (next) setFault(undefined);
  };
  return { typed, type, fault, submit, pending: prove.isPending };
}

function ProofForm({ way, onProven }: { way: Way; onProven: () => void }) {
  const { t } = useTranslation();
  const { typed, type, fault, submit, pending } = useProof(way, onProven);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {way === 'password' && (
        <PasswordField
          autoFocus
          label={t('profile.remove.password')}
          autoComplete="current-password"
          value={typed}
          error={fault}
          onChange={(event) => type(event.target.value)}
        />
      )}
      {(way === 'code' || way === 'mailedCode') && (
        <CodeInput autoFocus value={typed} onChange={type} error={fault} help={t(`security.stepUp.help.${way}`)} />
      )}
      <Button type="submit" w="full" mt="5" loading={pending} loadingText={t('security.stepUp.pending')}>
        {way === 'passkey' ? <FingerprintIcon aria-hidden /> : <ShieldCheckIcon aria-hidden />}
        {t(way === 'passkey' ? 'security.stepUp.use.passkey' : 'security.stepUp.act')}
      </Button>
    </form>
  );
}

/** Shows the first way to give the proof, with links to the other ways below. */
function Ways({ ways, onProven }: { ways: Way[]; onProven: () => void }) {
  const { t } = useTranslation();
  const usable = ways.filter((way) => way !== 'passkey' || passkeysPossible());
  const [way, setWay] = useState<Way>(usable[0] ?? 'password');
  const mail = useMutation({
    mutationFn: () => send(securityCalls.mailStepUpCode, { body: {} }),
    onSuccess: () => setWay('mailedCode'),
  });
  return (
    <>
      {way === 'signOn' ? <ProviderProof /> : <ProofForm key={way} way={way} onProven={onProven} />}
      <Flex direction="column" gap="1" mt="3">
        {usable
          .filter((other) => other !== way)
          .map((other) => (
            <Button
              key={other}
              variant="ghost"
              loading={other === 'mailedCode' && mail.isPending}
              onClick={() => (other === 'mailedCode' ? mail.mutate() : setWay(other))}
            >
              {t(`security.stepUp.use.${other}`)}
            </Button>
          ))}
      </Flex>
    </>
  );
}

/** The dialog for the step-up proof. After the proof the HTTP client repeats the refused call. */
export function StepUp() {
  const { t } = useTranslation();
  const asked = useAtomValue(askedAtom);
  if (!asked) return null;
  return (
    <Modal
      open
      onClose={() => asked.answer(false)}
      title={t('security.stepUp.title')}
      closeOnInteractOutside={false}
      maxW="420px"
    >
      <Dialog.Body pb="6">
        <Text mb="4">{t('security.stepUp.text')}</Text>
        <Ways ways={asked.ways} onProven={() => asked.answer(true)} />
      </Dialog.Body>
    </Modal>
  );
}
