// The tokens with which programs read the console's API. Managers make and remove them.

import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_NAME_LENGTH } from '../../server/contract/codes.ts';
import type { AddedReadTokenView, NewReadTokenRequest } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { readTokensQuery } from '../api/queries.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { Copyable } from '../components/copyable.tsx';
import { DialogForm } from '../components/dialog-form.tsx';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';

interface MadeToken {
  readonly name: string;
  readonly token: string;
}

export function ReadTokens() {
  const { t } = useTranslation(['readTokens', 'app']);
  const formats = useStoreFormats();
  const { data: tokens = [], error } = useQuery(readTokensQuery);
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<MadeToken>();
  const [removed, setRemoved] = useState<string>();
  return (
    <Stack gap="md" align="flex-start">
      <ErrorAlert error={error} />
      {tokens.length > 0 && (
        <Stack component="ul" gap="sm" m={0} p={0} w="100%" style={{ listStyle: 'none' }}>
          {tokens.map(({ name, createdAt, usedAt }) => (
            <li key={name}>
              <Text title={formats.exact(createdAt)} style={{ overflowWrap: 'anywhere' }}>
                {name}{' '}
                <Text span c="dimmed">
                  {usedAt === null ? t('unused') : t('used', { time: formats.time(usedAt) })}
                </Text>
              </Text>
              <Button
                ml={-8}
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={`${name}: ${t('remove')}`}
                onClick={() => setRemoved(name)}
              >
                {t('remove')}
              </Button>
            </li>
          ))}
        </Stack>
      )}
      {made !== undefined && (
        <Alert
          w="100%"
          role="status"
          withCloseButton
          closeButtonLabel={t('app:close')}
          onClose={() => setMade(undefined)}
          title={t('madeTitle', { name: made.name })}
        >
          <Stack gap={6}>
            <Text size="sm">{t('madeMeans')}</Text>
            <Copyable text={made.token} label={t('token')} isBlock />
          </Stack>
        </Alert>
      )}
      <Group>
        <Button
          variant="light"
          leftSection={<KeyRound size={16} aria-hidden />}
          onClick={() => {
            setMade(undefined);
            setAdding(true);
          }}
        >
          {t('add')}
        </Button>
      </Group>
      {isAdding && <NewReadToken onClose={() => setAdding(false)} onMade={setMade} />}
      {removed !== undefined && <RemoveReadToken name={removed} onClose={() => setRemoved(undefined)} />}
    </Stack>
  );
}

function NewReadToken({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (made: MadeToken) => void;
}) {
  const { t } = useTranslation(['readTokens', 'app']);
  const [name, setName] = useState('');
  const add = useAct((input: NewReadTokenRequest) => send<AddedReadTokenView>('POST', 'read-tokens', input));
  const submit = (): void => {
    const wanted = name.trim();
    add.mutate(
      { name: wanted },
      {
        onSuccess({ token }) {
          onMade({ name: wanted, token });
          onClose();
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} title={t('add')} closeButtonProps={{ 'aria-label': t('app:close') }}>
      <DialogForm
        act={t('addDo')}
        isPending={add.isPending}
        error={add.error}
        fields={['name']}
        onSubmit={submit}
        onClose={onClose}
      >
        <TextInput
          label={t('name')}
          description={t('nameHelp')}
          autoComplete="off"
          value={name}
          maxLength={MAX_NAME_LENGTH}
          error={fieldErrorOf(add.error, 'name')}
          onChange={(event) => {
            setName(event.currentTarget.value);
            add.reset();
          }}
          data-autofocus
        />
      </DialogForm>
    </Modal>
  );
}

function RemoveReadToken({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { t } = useTranslation('readTokens');
  const remove = useAct(() => send<undefined>('DELETE', `read-tokens/${encodeURIComponent(name)}`));
  return (
    <Confirmation
      title={t('removeTitle', { name })}
      act={t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onDo={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {t('removeMeans')}
    </Confirmation>
  );
}
