// The settings of the server that sends the shop's e-mail. The password of the server is never shown.

import { Button, Group, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type AlertsView, MAIL_SECURITY, type MailRequest } from '../../server/contract/alerts.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import { useIsManager } from '../model/selected-journal.ts';

const FIELDS = ['host', 'port', 'from', 'user', 'password'];
const NEW = { host: '', port: 587, security: 'starttls', user: '', from: '', hasPassword: false } as const;

export function MailServer({ mail }: { readonly mail: AlertsView['mail'] }) {
  const { t } = useTranslation('alerts');
  const isManager = useIsManager();
  const [isEditing, setEditing] = useState(false);
  return (
    <Stack gap="xs" align="flex-start">
      <Text>
        {mail === null ? t('noMailServer') : t('mailFrom', { server: `${mail.host}:${mail.port}`, from: mail.from })}
      </Text>
      {isManager && !isEditing && (
        <Button variant="default" onClick={() => setEditing(true)}>
          {mail === null ? t('setMailServer') : t('changeMailServer')}
        </Button>
      )}
      {isEditing && <MailForm before={mail ?? NEW} onClose={() => setEditing(false)} />}
    </Stack>
  );
}

function MailForm({
  before,
  onClose,
}: {
  readonly before: NonNullable<AlertsView['mail']>;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation(['alerts', 'app']);
  const [draft, setDraft] = useState(before);
  const [password, setPassword] = useState('');
  const save = useAct((input: MailRequest) => send<AlertsView>('PUT', 'alerts/mail', input));
  const change = (more: Partial<typeof draft>): void => {
    setDraft({ ...draft, ...more });
    save.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { hasPassword: _, ...settings } = draft;
    save.mutate({ ...settings, ...(password !== '' && { password }) }, { onSuccess: onClose });
  };
  const faultOf = (field: string) => fieldErrorOf(save.error, field);
  return (
    <form onSubmit={submit} noValidate style={{ width: '100%', maxWidth: 480 }}>
      <Stack gap="sm">
        <TextInput
          label={t('host')}
          value={draft.host}
          error={faultOf('host')}
          onChange={(event) => change({ host: event.currentTarget.value })}
        />
        <Group grow align="flex-start">
          <TextInput
            label={t('port')}
            value={draft.port}
            inputMode="numeric"
            maxLength={5}
            error={faultOf('port')}
            onChange={(event) => change({ port: Number(event.currentTarget.value.replaceAll(/\D/g, '')) })}
          />
          <Select
            label={t('security')}
            data={MAIL_SECURITY.map((each) => ({ value: each, label: t(`security_${each}`) }))}
            value={draft.security}
            allowDeselect={false}
            onChange={(value) => change({ security: MAIL_SECURITY.find((each) => each === value) ?? 'starttls' })}
          />
        </Group>
        <TextInput
          label={t('from')}
          value={draft.from}
          error={faultOf('from')}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          label={t('user')}
          value={draft.user}
          autoComplete="off"
          error={faultOf('user')}
          onChange={(event) => change({ user: event.currentTarget.value })}
        />
        <PasswordInput
          label={t('password')}
          description={before.hasPassword ? t('passwordStays') : undefined}
          value={password}
          autoComplete="new-password"
          error={faultOf('password')}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <ErrorAlert error={save.error} fields={FIELDS} />
        <Group gap="xs">
          <ManagerButton type="submit" loading={save.isPending}>
            {t('app:save')}
          </ManagerButton>
          <Button variant="default" onClick={onClose}>
            {t('app:cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
