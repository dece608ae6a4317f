// A new key, shown only once: to copy, or to print as a card for the till.

import { Alert, Button, Stack, Text } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Mode } from '../../server/contract/codes.ts';
import type { CreatedKey, KeyView } from '../../server/contract/setup.ts';
import { JoinCard } from './join-card.tsx';
import type { Joining } from './joining.ts';
import { useJoinPlace } from './use-join-place.ts';

interface NewKeySecretProps {
  readonly administration: string;
  readonly mode: Mode;
  readonly doneWord?: string;
  /** Whether the key can still be shown after this page. */
  readonly isKept?: boolean;
  readonly onDone: () => void;
}

export function NewKeySecret({ created, ...props }: NewKeySecretProps & { readonly created: CreatedKey }) {
  const { t } = useTranslation('tills');
  const { till, secret, key, apiUrl } = created;
  const place = useJoinPlace(apiUrl);
  if (secret === null)
    return (
      <Stack>
        <Text>{t('adopted', { till })}</Text>
        <Button onClick={props.onDone} style={{ alignSelf: 'flex-end' }}>
          {props.doneWord ?? t('done')}
        </Button>
      </Stack>
    );
  return place && <Secret {...props} till={till} secret={secret} keyView={key} place={place} />;
}

function Secret({
  administration,
  mode,
  till,
  secret,
  keyView: key,
  place,
  doneWord,
  isKept = false,
  onDone,
}: NewKeySecretProps & Pick<Joining, 'till' | 'place'> & { readonly secret: string; readonly keyView: KeyView }) {
  const { t } = useTranslation('tills');
  const [isTaken, setTaken] = useState(false);
  const [isWarned, setWarned] = useState(false);
  const take = useCallback(() => setTaken(true), []);
  const isRisky = isWarned && !isTaken;
  return (
    <JoinCard
      joining={{ administration, mode, till, key, secret, place }}
      onTake={take}
      note={
        isRisky ? (
          <Alert color="yellow" p="sm" role="alert">
            {t('notTaken')}
          </Alert>
        ) : (
          !isTaken && <Text>{t(isKept ? 'keptForNow' : 'shownOnce')}</Text>
        )
      }
    >
      <Button onClick={() => (isKept || isTaken || isWarned ? onDone() : setWarned(true))}>
        {isRisky ? t('doneAnyway') : (doneWord ?? t('done'))}
      </Button>
    </JoinCard>
  );
}
