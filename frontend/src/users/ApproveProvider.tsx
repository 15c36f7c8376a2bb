import { Box, Button, Flex, Heading } from '@chakra-ui/react';
import { zodResolver } from '@hookform/resolvers/zod';
import { Email } from '@lightbox/contract/users/schemas.js';
import { EnvelopeSimpleIcon } from '@phosphor-icons/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { z } from 'zod';
import { paths } from '../lib/paths';
import { TextField } from '../ui/Field';
import { Page } from '../ui/Page';
import { PendingList } from './PendingList';
import { useApprove } from './users';

function ByEmail() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const approve = useApprove();
  const schema = z.object({ email: z.string().trim().min(1, t('users.approve.required')).pipe(Email) });
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(schema),
    defaultValues: { email: '' },
  });
  const submit = handleSubmit(({ email }) =>
    approve.mutate(email, { onSuccess: () => void navigate(paths.dashboard) }),
  );
  return (
    <Box as="section" layerStyle="card" p={{ base: '5', md: '6' }}>
      <Heading as="h2" textStyle="section" mb="4">
        {t('users.approve.byEmail')}
      </Heading>
      <form onSubmit={submit} noValidate>
        <TextField
          label={t('users.approve.label')}
          type="email"
          inputMode="email"
          autoComplete="off"
          Icon={EnvelopeSimpleIcon}
          error={formState.errors.email?.message}
          {...register('email')}
        />
        <Flex justify="flex-end" mt="4">
          <Button type="submit" variant="outline" loading={approve.isPending} loadingText={t('users.approve.pending')}>
            {t('users.approve.submit')}
          </Button>
        </Flex>
      </form>
    </Box>
  );
}

export function ApproveProvider() {
  const { t } = useTranslation();
  return (
    <Page title={t('users.approve.title')} sub={t('users.approve.sub')}>
      <Box
        display="grid"
        gridTemplateColumns={{ base: 'minmax(0,1fr)', xl: 'minmax(0,1fr) 360px' }}
        gap="22px"
        alignItems="start"
      >
        <PendingList />
        <ByEmail />
      </Box>
    </Page>
  );
}
