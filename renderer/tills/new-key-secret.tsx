// A new key, shown only once: to copy, or to print as a card for the till.

import { Alert, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Mode } from '../../server/contract/codes.ts';
import type { CreatedKey } from '../../server/contract/setup.ts';
import { JoinCard } from './join-card.tsx';
import type { Joining } from './joining.ts';
import { useJoinPlace } from './use-join-place.ts';

export function NewKeySecret({
  created,
  administration,
  mode,
  doneWord,
  isWaiting = false,
  onDone,
}: {
  readonly created: CreatedKey;
  readonly administration: string;
  readonly mode: Mode;
  readonly doneWord?: string;
  /** Whether to wait here for the first sale. */
  readonly isWaiting?: boolean;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation('tills');
  const { till, secret, key, apiUrl } = created;
  const place = useJoinPlace(apiUrl);
  if (secret === null)
    return (
      <Stack>
        <Text>{t('adopted', { till })}</Text>
        <Button onClick={onDone} style={{ alignSelf: 'flex-end' }}>
          {doneWord ?? t('done')}
        </Button>
      </Stack>
    );
  if (place === undefined) return null;
  return (
    <Secret
      joining={{ administration, mode, till, key, secret, place }}
      isWaiting={isWaiting}
      doneWord={doneWord ?? t('done')}
      onDone={onDone}
    />
  );
}

function Secret({
  joining,
  isWaiting,
  doneWord,
  onDone,
}: {
  readonly joining: Joining;
  readonly isWaiting: boolean;
  readonly doneWord: string;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation('tills');
  const [isTaken, setTaken] = useState(false);
  const [isWarned, setWarned] = useState(false);
  const leave = (): boolean => {
    if (isTaken || isWarned) return true;
    setWarned(true);
    return false;
  };
  return (
    <Stack>
      <Text>{t('shownOnce', { till: joining.till })}</Text>
      <JoinCard joining={joining} isWaiting={isWaiting} onTake={() => setTaken(true)} onLeave={leave}>
        <Button onClick={() => leave() && onDone()}>{isWarned && !isTaken ? t('doneAnyway') : doneWord}</Button>
      </JoinCard>
      {isWarned && !isTaken && (
        <Alert color="yellow" role="alert">
          {t('notTaken')}
        </Alert>
      )}
    </Stack>
  );
}
