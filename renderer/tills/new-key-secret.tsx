// A new key, shown only once: to copy, or to print as a card for the till.

import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { Printer } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Mode } from '../../server/contract/codes.ts';
import type { CreatedKey } from '../../server/contract/setup.ts';
import { Copyable } from '../components/copyable.tsx';
import { firstRequest } from './first-request.ts';
import { isLocalOnly } from './join-place.ts';
import { KeyCard } from './key-card.tsx';

export function NewKeySecret({
  created,
  administration,
  mode,
  doneWord,
  onDone,
}: {
  readonly created: CreatedKey;
  readonly administration: string;
  readonly mode: Mode;
  readonly doneWord?: string;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation('tills');
  const { till, secret } = created;
  if (secret === null)
    return (
      <Stack>
        <Text>{t('adopted', { till })}</Text>
        <Button onClick={onDone} style={{ alignSelf: 'flex-end' }}>
          {doneWord ?? t('done')}
        </Button>
      </Stack>
    );
  return (
    <Secret
      created={created}
      secret={secret}
      administration={administration}
      mode={mode}
      doneWord={doneWord ?? t('done')}
      onDone={onDone}
    />
  );
}

function Secret({
  created: { till, apiUrl, key },
  secret,
  administration,
  mode,
  doneWord,
  onDone,
}: {
  readonly created: CreatedKey;
  readonly secret: string;
  readonly administration: string;
  readonly mode: Mode;
  readonly doneWord: string;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation('tills');
  const request = firstRequest(apiUrl, secret, key);
  const [isTaken, setTaken] = useState(false);
  const [isWarned, setWarned] = useState(false);
  const take = (): void => setTaken(true);
  return (
    <Stack>
      <Text>{t('shownOnce', { till })}</Text>
      <Field label={t('address')}>
        <Copyable text={apiUrl} label={t('address')} />
      </Field>
      {isLocalOnly(apiUrl) && (
        <Text size="sm" c="dimmed">
          {t('onlyHere')}
        </Text>
      )}
      <Field label={t('key')}>
        <Copyable text={secret} label={t('key')} onCopy={take} />
      </Field>
      <Field label={t('firstRequest')}>
        <Copyable text={request} label={t('firstRequest')} isBlock onCopy={take} />
      </Field>
      {isWarned && !isTaken && (
        <Alert color="yellow" role="alert">
          {t('notTaken')}
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button
          variant="default"
          leftSection={<Printer size={16} aria-hidden />}
          onClick={() => {
            take();
            window.print();
          }}
        >
          {t('printCard')}
        </Button>
        <Button onClick={() => (isTaken || isWarned ? onDone() : setWarned(true))}>
          {isWarned && !isTaken ? t('doneAnyway') : doneWord}
        </Button>
      </Group>
      <KeyCard
        administration={administration}
        mode={mode}
        till={till}
        apiUrl={apiUrl}
        secret={secret}
        request={request}
      />
    </Stack>
  );
}

function Field({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={2}>
        {label}
      </Text>
      {children}
    </div>
  );
}
