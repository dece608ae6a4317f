// Signs off a day, or reopens it with a reason. The history of the day keeps both acts.

import { Button, Group, Modal, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PenLine } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ACTORS, MAX_NAME_LENGTH, MAX_REASON_LENGTH } from '../../server/contract/codes.ts';
import type { DaySummary, SignOffRequest } from '../../server/contract/days.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { sessionQuery } from '../api/queries.ts';
import { DialogForm } from '../components/dialog-form.tsx';
import { fieldErrorOf } from '../components/error-alert.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';

interface About {
  readonly day: DaySummary;
  readonly journalId: number;
}

export function SignOff({
  isFirst,
  ...about
}: About & { /** Whether this is the day's most urgent act. */ readonly isFirst: boolean }) {
  const { t } = useTranslation('day');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant={isFirst ? 'filled' : 'default'}
        leftSection={<PenLine size={16} aria-hidden />}
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
      >
        {t('signOff')}
      </Button>
      {isOpen && <SignOffForm {...about} kind="sign off" onClose={() => setOpen(false)} />}
    </>
  );
}

/** The signature of a day. Shows nothing if the day has none. */
export function Signature({ day, journalId }: About) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const [isOpen, setOpen] = useState(false);
  const { signOff } = day;
  if (signOff === null) return null;
  const { name, at, note, isReopened } = signOff;
  return (
    <Group gap="4px 12px">
      <div>
        <StateMark tone={isReopened ? 'differs' : 'fine'} {...(!isReopened && { Icon: PenLine })}>
          <span title={formats.exact(at)}>
            {t(isReopened ? 'reopened' : 'signed', { name, time: formats.time(at) })}
          </span>
        </StateMark>
        {note !== '' && (
          <Text size="sm" pl={22} style={{ overflowWrap: 'anywhere' }}>
            {t('quoted', { note })}
          </Text>
        )}
      </div>
      <Button variant="subtle" size="compact-md" onClick={() => setOpen(true)} aria-haspopup="dialog">
        {t('unsign')}
      </Button>
      {isOpen && <SignOffForm day={day} journalId={journalId} kind="take back" onClose={() => setOpen(false)} />}
    </Group>
  );
}

/** The name of the signed-in user; empty for a session that began with a one-time link. */
function useOwnName(): string {
  const { data: session } = useQuery(sessionQuery);
  const isPerson = session != null && !Object.values<string>(ACTORS).includes(session.actor);
  return isPerson ? session.actor : '';
}

function SignOffForm({
  day,
  journalId,
  kind,
  onClose,
}: About & { readonly kind: SignOffRequest['kind']; readonly onClose: () => void }) {
  const { t } = useTranslation(['day', 'app']);
  const formats = useStoreFormats();
  const ownName = useOwnName();
  // The day may change while the dialog is open. The signature covers what the dialog showed when it opened.
  const [signedFor] = useState(day.signedFor);
  const [name, setName] = useState(ownName);
  const [note, setNote] = useState('');
  const [lacking, setLacking] = useState<'name' | 'note'>();
  const sign = useAct(() =>
    send('POST', 'sign-offs', {
      journal: journalId,
      date: day.date,
      kind,
      signedFor,
      name: name.trim(),
      note: note.trim(),
    } satisfies SignOffRequest),
  );
  const isSigning = kind === 'sign off';
  const means =
    day.verdict !== 'complete' ? 'signOffDiffers' : day.isProvisional ? 'signOffProvisional' : 'signOffMeans';
  const needsNote = !isSigning || day.verdict !== 'complete';
  const submit = (): void => {
    if (name.trim() === '') setLacking('name');
    else if (needsNote && note.trim() === '') setLacking('note');
    else sign.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={isSigning ? t('signOffTitle', { day: formats.date(day.date) }) : t('unsignTitle')}
      closeButtonProps={{ 'aria-label': t('app:close') }}
    >
      <DialogForm
        act={t(isSigning ? 'signOffDo' : 'unsignDo')}
        isPending={sign.isPending}
        error={sign.error}
        fields={['name', 'note']}
        onSubmit={submit}
        onClose={onClose}
      >
        <Text>{t(isSigning ? means : 'unsignMeans')}</Text>
        <TextInput
          label={t('name')}
          value={name}
          maxLength={MAX_NAME_LENGTH}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setLacking(undefined);
          }}
          error={lacking === 'name' ? t('nameMissing') : fieldErrorOf(sign.error, 'name')}
          autoComplete="name"
          withAsterisk
          {...(ownName === '' && { 'data-autofocus': true })}
        />
        <Textarea
          label={t('note')}
          value={note}
          maxLength={MAX_REASON_LENGTH}
          rows={3}
          onChange={(event) => {
            setNote(event.currentTarget.value);
            setLacking(undefined);
          }}
          error={lacking === 'note' ? t('noteMissing') : fieldErrorOf(sign.error, 'note')}
          withAsterisk={needsNote}
          {...(ownName !== '' && { 'data-autofocus': true })}
        />
      </DialogForm>
    </Modal>
  );
}
