// The screen Alerts: the receivers, the alerts that could not be sent, and the mail server.

import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { AlertTestView, ReceiverView } from '../../server/contract/alerts.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { alertsQuery } from '../api/queries.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { ManagerButton, ManagersOnly } from '../components/manager-button.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { clockOfMinutes } from '../lib/time-of-day.ts';
import { useIsManager, useStoreFormats } from '../model/selected-journal.ts';
import { ChangeReceiver } from './change-receiver.tsx';
import { MailServer } from './mail-server.tsx';
import { NewReceiver } from './new-receiver.tsx';

import classes from './alerts.module.css';

export function AlertsScreen() {
  const { t } = useTranslation('alerts');
  const { data } = useSuspenseQuery(alertsQuery);
  const [isAdding, setAdding] = useState(false);
  const names = 'names' in data ? data.names : data.receivers.map(({ name }) => name);
  return (
    <Stack gap="xl" maw={960}>
      <Stack gap={4}>
        <Title order={2} size={24} fw={600}>
          {names.length === 0 ? t('none') : t('title', { count: names.length })}
        </Title>
        <Text c="dimmed">{t('means')}</Text>
        <ManagersOnly />
      </Stack>
      {names.length > 0 && (
        <ul className={classes.receivers}>
          {'names' in data
            ? names.map((name) => (
                <li key={name} className={classes.receiver}>
                  <Text fw={600}>
                    <ForeignText>{name}</ForeignText>
                  </Text>
                </li>
              ))
            : data.receivers.map((receiver) => <Receiver key={receiver.id} receiver={receiver} />)}
        </ul>
      )}
      <ManagerButton
        leftSection={<Plus size={16} aria-hidden />}
        onClick={() => setAdding(true)}
        style={{ alignSelf: 'flex-start' }}
      >
        {t('add')}
      </ManagerButton>
      {'mail' in data && (
        <section aria-labelledby="mail-server">
          <Title order={3} size="h4" mb="xs" id="mail-server">
            {t('mailServer')}
          </Title>
          <MailServer key={JSON.stringify(data.mail)} mail={data.mail} />
        </section>
      )}
      {isAdding && 'mail' in data && <NewReceiver onClose={() => setAdding(false)} hasMail={data.mail !== null} />}
    </Stack>
  );
}

function Receiver({ receiver }: { readonly receiver: ReceiverView }) {
  const { t } = useTranslation('alerts');
  const { t: faults } = useTranslation('alertFault');
  const formats = useStoreFormats();
  const isManager = useIsManager();
  const [isChanging, setChanging] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const { id, name, kind, shown, choice, quiet, digestAt, lastSentAt, waiting, failing } = receiver;
  const trial = useAct(() => send<AlertTestView>('POST', `alerts/receivers/${id}/test`));
  const remove = useAct(() => send('DELETE', `alerts/receivers/${id}`));
  const when = [
    t(`tells_${choice}`),
    ...(quiet === null ? [] : [t('quietFrom', { from: clockOfMinutes(quiet.from), to: clockOfMinutes(quiet.to) })]),
    ...(digestAt === null ? [] : [t('digestFrom', { time: clockOfMinutes(digestAt) })]),
  ];
  return (
    <li className={classes.receiver}>
      <div className={classes.about}>
        <Text fw={600}>
          <ForeignText>{name}</ForeignText>
        </Text>
        <Text style={{ overflowWrap: 'anywhere' }}>
          {t(`kind_${kind}`)} · <ForeignText>{shown}</ForeignText>
        </Text>
        <Text size="sm" c="dimmed">
          {when.join(' ')}
        </Text>
        {failing === null ? (
          <Text size="sm" c="dimmed">
            {lastSentAt === null ? t('neverSent') : t('lastSent', { time: formats.time(lastSentAt) })}
          </Text>
        ) : (
          <StateMark tone="bad">
            {t('failing', { time: formats.time(failing.since), n: formats.number(waiting), count: waiting })}{' '}
            {faults(failing.code)} {failing.detail !== null && `(${failing.detail})`}{' '}
            {t('nextAttempt', { time: formats.time(failing.nextAt) })}
          </StateMark>
        )}
        <div role="status">
          {trial.data?.fault === null && <StateMark tone="fine">{t('testSent')}</StateMark>}
          {trial.data?.fault != null && (
            <StateMark tone="bad">
              {t('testFailed')} {faults(trial.data.fault.code)}{' '}
              {trial.data.fault.detail !== null && `(${trial.data.fault.detail})`}
            </StateMark>
          )}
        </div>
        <ErrorAlert error={trial.error} />
      </div>
      {isManager && (
        <Group gap={6}>
          <Button size="xs" variant="light" loading={trial.isPending} onClick={() => trial.mutate(undefined)}>
            {t('test')}
          </Button>
          <Button size="xs" variant="default" onClick={() => setChanging(true)}>
            {t('change')}
          </Button>
          <Button size="xs" variant="default" onClick={() => setRemoving(true)}>
            {t('remove')}
          </Button>
        </Group>
      )}
      {isChanging && <ChangeReceiver receiver={receiver} onClose={() => setChanging(false)} />}
      {isRemoving && (
        <Confirmation
          title={t('removeTitle')}
          act={t('remove')}
          isPending={remove.isPending}
          error={remove.error}
          onDo={() => remove.mutate(undefined, { onSuccess: () => setRemoving(false) })}
          onClose={() => setRemoving(false)}
        >
          {t('removeMeans', { name })}
        </Confirmation>
      )}
    </li>
  );
}
