import { Box, Button, chakra, Flex, Grid } from '@chakra-ui/react';
import { limits } from '@lightbox/contract/limits.js';
import { HourglassMediumIcon, QuestionIcon } from '@phosphor-icons/react';
import { useMutation } from '@tanstack/react-query';
import { useSetAtom } from 'jotai';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink, useLocation, useNavigate } from 'react-router-dom';
import { currentCode } from '../../i18n/index';
import { errorText } from '../../lib/errors';
import { ApiError, send } from '../../lib/http';
import { paths } from '../../lib/paths';
import { toast } from '../../lib/toaster';
import { useAttempt } from '../../lib/useAttempt';
import { useIsDesktop } from '../../lib/useMedia';
import { EmptyState } from '../../ui/EmptyState';
import { Lamp } from '../../ui/Lamp';
import { LanguageSwitch } from '../../ui/LanguageSwitch';
import { LoadFailed } from '../../ui/LoadFailed';
import { Logo } from '../../ui/Mark';
import { Note } from '../../ui/Note';
import { useTitle } from '../../ui/Page';
import { Waiting } from '../../ui/Skeletons';
import { authCalls } from '../calls';
import { placeErrors } from '../forms';
import { HelpDialog } from '../HelpDialog';
import { SideColumn } from '../SideColumn';
import { verificationAtom } from '../session';
import { StepFoot, StepHead } from './Frame';
import {
  blank,
  dropDraft,
  type FieldName,
  fieldsOf,
  keepDraft,
  readDraft,
  resolverFor,
  stepNames,
  toBody,
  type Values,
} from './form';
import { HasAccount, InvitationEnded } from './Invited';
import { MedicalStep } from './MedicalStep';
import { PersonalStep } from './PersonalStep';
import { RoleStep } from './RoleStep';
import { SecurityStep } from './SecurityStep';
import { StepRail } from './Steps';
import { useInvitation } from './useInvitation';

const screens = { role: RoleStep, personal: PersonalStep, medical: MedicalStep, security: SecurityStep };
const last = stepNames.length - 1;
const allFields = stepNames.flatMap((step) => [...fieldsOf[step]]);

/** The state of an entry of the browser's history. */
interface Entry {
  step?: number;
  /** True when the entry before this one is the step before this step. */
  followed?: boolean;
  /** The role of the account that was created and is under review now. */
  reviewed?: Values['role'];
}

/** The current step, which is in the browser's history: its Back button goes one step back. */
function useStep(first: number) {
  const navigate = useNavigate();
  const { state, search, hash } = useLocation();
  const entry = state as Entry | null;
  const at = Math.min(entry?.step ?? first, last);
  const show = (next: Entry, replace = false) =>
    navigate({ search, hash }, { state: next, replace, preventScrollReset: true });
  return {
    at,
    reviewed: entry?.reviewed,
    goTo: (step: number) => show({ step }),
    next: () => show({ step: at + 1, followed: true }),
    back: () => (entry?.followed ? navigate(-1) : show({ step: at - 1 }, true)),
    review: (role: Values['role']) => show({ reviewed: role }, true),
  };
}

/** Holds the form and the current step of the wizard. The form is also stored in this tab. */
function useWizard() {
  const { t } = useTranslation();
  const [draft] = useState(readDraft);
  const steps = useStep(draft.values.role ? draft.step : 0);
  const form = useForm<Values>({
    resolver: resolverFor(t),
    defaultValues: draft.values,
    mode: 'onTouched',
    shouldFocusError: true,
  });
  const { watch, getValues } = form;
  // Without a role the later steps do not know their fields.
  const at = watch('role') ? steps.at : 0;
  useEffect(() => {
    keepDraft(getValues(), at);
    const { unsubscribe } = watch((values) => keepDraft(values as Values, at));
    return unsubscribe;
  }, [watch, getValues, at]);
  useEffect(() => dropDraft, []);
  return { ...steps, form, at };
}

function useRegister({ form, at, goTo, review }: ReturnType<typeof useWizard>) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const keepVerification = useSetAtom(verificationAtom);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  /** A refusal whose step is being opened. */
  const refusal = useRef<ApiError>(undefined);
  const place = (error: ApiError) => placeErrors(error, allFields, form.setError);
  /** Shows the errors of a refusal at the fields of the step that was opened for it. Returns false without a refusal. */
  const placeRefusal = () => {
    const { current: error } = refusal;
    refusal.current = undefined;
    return error !== undefined && place(error);
  };
  /** Opens the first step with an error and shows each error at its field. */
  const showErrors = (error: ApiError) => {
    const faulty = stepNames.findIndex((step) =>
      error.errors.some(({ field }) => fieldsOf[step].includes(field as FieldName)),
    );
    if (faulty < 0 || faulty === at) return void place(error);
    // The step must be drawn first, so that its first field with an error can get the focus.
    refusal.current = error;
    goTo(faulty);
  };

  const attempt = useAttempt();
  const call = useMutation({
    mutationFn: (values: Values) => {
      const body = { ...toBody(values), language: currentCode() };
      return send(authCalls.register, { body }, { token: 'none', idempotencyKey: attempt.keyOf(body) });
    },
    meta: { silent: 'always' },
    onSuccess: ({ data }, { email, role }) => {
      attempt.forget();
      form.reset(blank);
      dropDraft();
      if (!data.token) return void review(role);
      toast.success(t('auth.register.success'));
      keepVerification({ token: data.token, email: email.trim(), sentAt: Date.now() });
      timer.current = setTimeout(() => navigate(paths.verifyAccount), limits.redirectAfterVerification);
    },
    onError: (error) => {
      attempt.refused(error);
      if (error instanceof ApiError && error.errors.length) showErrors(error);
      else toast.error(errorText(error, t('auth.register.failed')));
    },
  });
  return { call, placeRefusal };
}

function Help({ ask }: { ask: string }) {
  return (
    <Flex align="center" gap="2.5" fontSize="sm" color="fg.muted">
      <QuestionIcon size={20} aria-hidden />
      <span>
        {ask} <HelpDialog />
      </span>
    </Flex>
  );
}

function Rail({ at, role }: { at: number; role: string }) {
  const { t } = useTranslation();
  return (
    <SideColumn minH="720px">
      <StepRail at={at} role={role} />
      {role === 'healthProvider' && (
        <Box mt="6">
          <Note Icon={HourglassMediumIcon} title={t('auth.register.reviewNote')}>
            {t('auth.register.reviewNoteText')}
          </Note>
        </Box>
      )}
      <Box mt="auto" pt="6">
        <Help ask={t('auth.help.stuck')} />
      </Box>
    </SideColumn>
  );
}

/** The last screen of a provider: says that the account must be approved before the first sign-in. */
function UnderReview() {
  const { t } = useTranslation();
  return (
    <Box my="auto" role="status">
      <EmptyState
        as="h1"
        Icon={HourglassMediumIcon}
        title={t('auth.register.reviewTitle')}
        text={t('auth.register.review')}
        act={
          <Button asChild variant="subtle">
            <RouterLink to={paths.login}>{t('auth.forgot.toLogin')}</RouterLink>
          </Button>
        }
      />
    </Box>
  );
}

export function Register() {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const wizard = useWizard();
  const { form, at, reviewed, goTo } = wizard;
  const { call: register, placeRefusal } = useRegister(wizard);
  const heading = useRef<HTMLHeadingElement>(null);
  const step = stepNames[at] ?? 'role';
  const Step = screens[step];
  const invitation = useInvitation(form);
  const { token, invited } = invitation;
  const known = invited?.hasAccount === true;
  const role = reviewed ?? form.watch('role');
  // An invitation is for a patient, unless the person goes back and chooses otherwise.
  const welcome = invited !== undefined && !known && role === '';
  useEffect(() => {
    if (!welcome) return;
    form.setValue('role', 'patient');
    goTo(1);
  }, [welcome, form, goTo]);
  useTitle(t('auth.register.title'));

  const shown = useRef(at);
  // Before the step is painted: later, the focus would leave a field in which somebody types already.
  useLayoutEffect(() => {
    if (shown.current === at) return;
    shown.current = at;
    window.scrollTo({ top: 0 });
    if (!placeRefusal()) heading.current?.focus();
  }, [at, placeRefusal]);
  const next = async () => {
    if (await form.trigger([...fieldsOf[step]], { shouldFocus: true })) wizard.next();
  };
  const submit = form.handleSubmit(
    (values) => register.mutate(values),
    (errors) => {
      const faulty = stepNames.findIndex((name) => fieldsOf[name].some((field) => errors[field]));
      if (faulty >= 0 && faulty !== at) goTo(faulty);
    },
  );

  return (
    <Grid templateColumns={{ base: 'minmax(0,1fr)', lg: '372px minmax(0,1fr)' }} minH="100dvh" layerStyle="entry">
      {desktop && <Rail at={reviewed ? stepNames.length : at} role={role} />}
      <Flex direction="column" minW="0" p={{ base: '0 8px 8px', lg: '14px 14px 14px 0' }}>
        {!desktop && (
          <Flex as="header" minH="68px" align="center" justify="space-between" wrap="wrap" ps="3.5" pe="2.5">
            <RouterLink to={paths.home} aria-label={t('common.appName')} style={{ display: 'flex' }}>
              <Logo />
            </RouterLink>
            <LanguageSwitch />
          </Flex>
        )}
        <Flex as="main" direction="column" layerStyle="lit" flex="1" borderRadius={{ base: '22px', lg: 'panel' }}>
          <Lamp />
          {desktop && (
            <Flex justify="flex-end" px="10" pt="6">
              <LanguageSwitch />
            </Flex>
          )}
          {reviewed ? (
            <UnderReview />
          ) : invitation.error instanceof ApiError && invitation.error.code === 'EXPIRED' ? (
            <InvitationEnded onRegister={() => form.setValue('invite', '')} />
          ) : known ? (
            <HasAccount token={token} email={invited.email} />
          ) : invitation.error ? (
            <LoadFailed text={errorText(invitation.error)} onRetry={invitation.again} />
          ) : invitation.isLoading ? (
            <Waiting flex="1" />
          ) : (
            <FormProvider {...form}>
              <chakra.form
                display="flex"
                flexDirection="column"
                flex="1"
                noValidate
                onSubmit={(event) => {
                  event.preventDefault();
                  if (register.isSuccess) return;
                  void (at === last ? submit() : next());
                }}
              >
                <Box px={{ base: '5', md: '14' }} pt={{ base: '6', lg: '3' }} pb="8" flex="1">
                  <StepHead at={at} step={step} headingRef={heading} desktop={desktop} />
                  <Step />
                </Box>
                <StepFoot
                  at={at}
                  desktop={desktop}
                  ready={at > 0 || Boolean(role)}
                  busy={register.isPending}
                  opening={register.isSuccess}
                  onBack={wizard.back}
                />
                {!desktop && (
                  <Flex justify="center" pb="5">
                    <Help ask={t('auth.help.stuck')} />
                  </Flex>
                )}
              </chakra.form>
            </FormProvider>
          )}
        </Flex>
      </Flex>
    </Grid>
  );
}
