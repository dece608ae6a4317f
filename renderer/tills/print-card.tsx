// The join card of an existing key. It leaves the key out, because a key is shown only when it is created.

import { Button, Modal } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { JournalView, KeyView, Till } from '../../server/contract/setup.ts';
import { sessionQuery } from '../api/queries.ts';
import { JoinCard } from './join-card.tsx';
import { useJoinPlace } from './use-join-place.ts';

export function PrintCard({
  journal: { administration, mode },
  till: { label: till },
  shown: key,
  onClose,
}: {
  readonly journal: JournalView;
  readonly till: Till;
  readonly shown: KeyView;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation(['join', 'tills', 'app']);
  const { data: session } = useSuspenseQuery(sessionQuery);
  const place = useJoinPlace(session?.apiUrl ?? '');
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('cardTitle', { till })}
      size="xl"
      closeButtonProps={{ 'aria-label': t('app:close') }}
    >
      {place !== undefined && (
        <JoinCard joining={{ administration, mode, till, key, secret: null, place }}>
          <Button onClick={onClose}>{t('tills:done')}</Button>
        </JoinCard>
      )}
    </Modal>
  );
}
