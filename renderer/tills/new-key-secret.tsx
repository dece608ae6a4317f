// Shows a new key, only once. The user can copy it, or print it as a card for the till. A warning appears if the user leaves
// the page without doing either.

import { Alert, Button, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
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
  /** Whether somebody already copied, printed or used the key on an earlier page. */
  readonly wasTaken?: boolean;
  readonly onTake?: () => void;
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
  wasTaken = false,
  onTake,
  onDone,
}: NewKeySecretProps & Pick<Joining, 'till' | 'place'> & { readonly secret: string; readonly keyView: KeyView }) {
  const { t } = useTranslation('tills');
  const [isTaken, setTaken] = useState(wasTaken);
  const [isWarned, setWarned] = useState(false);
  const take = useCallback(() => {
    setTaken(true);
    onTake?.();
  }, [onTake]);
  const mayLeave = isKept || isTaken || isWarned;
  useBlocker({
    shouldBlockFn({ current, next }) {
      if (mayLeave || next.pathname === current.pathname) return false;
      setWarned(true);
      return true;
    },
    enableBeforeUnload: false, // otherwise the desktop app could not close its window, and would not show the reason
  });
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
      <Button onClick={() => (mayLeave ? onDone() : setWarned(true))}>
        {isRisky ? t('doneAnyway') : (doneWord ?? t('done'))}
      </Button>
    </JoinCard>
  );
}
