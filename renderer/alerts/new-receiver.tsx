// Adds a receiver of alerts. The key that signs the alerts of a webhook is shown once.

import { Button, Checkbox, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import {
  ALERT_KINDS,
  type AlertKind,
  type DestinationRequest,
  type NewReceiverRequest,
  type NewReceiverView,
} from '../../server/contract/alerts.ts';
import { machineZone } from '../../server/lib/calendar.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { Copyable } from '../components/copyable.tsx';
import { DialogForm } from '../components/dialog-form.tsx';
import { fieldErrorOf } from '../components/error-alert.tsx';
import { language } from '../locales/words.ts';
import { useSelectedJournal } from '../model/selected-journal.ts';
import { SETTING_FIELDS, SettingFields, useSettingsForm } from './receiver-fields.tsx';

const FIELDS = [...SETTING_FIELDS, 'destination'];

export function NewReceiver({ onClose, hasMail }: { readonly onClose: () => void; readonly hasMail: boolean }) {
  const { t } = useTranslation(['alerts', 'app']);
  const timeZone = useSelectedJournal()?.timeZone ?? machineZone();
  const form = useSettingsForm({ name: '', language, timeZone, choice: 'all', quiet: null, digestAt: null });
  const [kind, setKind] = useState<AlertKind>('email');
  const [to, setTo] = useState('');
  const [chat, setChat] = useState('');
  const [isPlain, setPlain] = useState(false);
  const [signingKey, setSigningKey] = useState<string>();
  const add = useAct((input: NewReceiverRequest) => send<NewReceiverView>('POST', 'alerts/receivers', input));

  const submit = (): void => {
    const settings = form.read();
    if (settings === undefined) return;
    const destination = destinationOf(kind, to.trim(), chat.trim(), isPlain);
    add.mutate(
      { ...settings, destination },
      {
        onSuccess(made) {
          if (made.signingKey === null) onClose();
          else setSigningKey(made.signingKey);
        },
      },
    );
  };
  const faultOf = (field: string) => fieldErrorOf(add.error, `destination/${field}`);

  return (
    <Modal opened onClose={onClose} title={t('addTitle')} closeButtonProps={{ 'aria-label': t('app:close') }}>
      {signingKey !== undefined ? (
        <Stack>
          <Text>{t('signingKey')}</Text>
          <Copyable text={signingKey} label={t('keyLabel')} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('app:close')}</Button>
          </Group>
        </Stack>
      ) : (
        <DialogForm
          act={t('addDo')}
          isPending={add.isPending}
          error={add.error}
          fields={FIELDS}
          onSubmit={submit}
          onClose={onClose}
        >
          <SettingFields form={form} error={add.error}>
            <Select
              label={t('kind')}
              data={ALERT_KINDS.map((each) => ({ value: each, label: t(`kind_${each}`) }))}
              value={kind}
              onChange={(value) => setKind(ALERT_KINDS.find((each) => each === value) ?? 'email')}
              allowDeselect={false}
            />
            {kind === 'email' && !hasMail && (
              <Text size="sm" c="var(--cf-differs)">
                {t('mailFirst')}
              </Text>
            )}
            <TextInput
              label={t(`to_${kind}`)}
              description={t(`toHelp_${kind}`)}
              value={to}
              autoComplete="off"
              spellCheck={false}
              error={faultOf('address') ?? faultOf('url') ?? faultOf('token')}
              onChange={(event) => setTo(event.currentTarget.value)}
            />
            {kind === 'telegram' && (
              <TextInput
                label={t('chat')}
                description={t('chatHelp')}
                value={chat}
                autoComplete="off"
                error={faultOf('chat')}
                onChange={(event) => setChat(event.currentTarget.value)}
              />
            )}
            {kind === 'webhook' && (
              <Checkbox
                label={t('plainHttp')}
                checked={isPlain}
                onChange={(event) => setPlain(event.currentTarget.checked)}
              />
            )}
          </SettingFields>
        </DialogForm>
      )}
    </Modal>
  );
}

function destinationOf(kind: AlertKind, to: string, chat: string, plainHttp: boolean): DestinationRequest {
  switch (kind) {
    case 'email':
      return { kind, address: to };
    case 'telegram':
      return { kind, token: to, chat };
    case 'webhook':
    case 'slack':
    case 'teams':
      return { kind, url: to, plainHttp: kind === 'webhook' && plainHttp };
  }
}
