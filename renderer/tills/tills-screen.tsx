// Tills: who may send, with which keys, and the sales of this week.

import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { JournalView, KeyView, Till } from '../../server/contract/setup.ts';
import { journalsQuery, tillsQuery } from '../api/queries.ts';
import { ManagerButton, ManagersOnly } from '../components/manager-button.tsx';
import { useIsManager, useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { keyState } from './key-state.ts';
import { type MadeIn, NewKey, type NewKeyFor } from './new-key.tsx';
import { PrintCard } from './print-card.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';
import { TillCard } from './till-card.tsx';

export function TillsScreen() {
  const journal = useSelectedJournal();
  const navigate = useNavigate();
  const [wanted, setWanted] = useState<NewKeyFor>();
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const close = (made: MadeIn | undefined): void => {
    setWanted(undefined);
    const where =
      made && journals.find(({ administration, mode }) => administration === made.administration && mode === made.mode);
    if (where !== undefined && where.id !== journal?.id) void navigate({ to: '/tills', search: { journal: where.id } });
  };
  return (
    <>
      {journal === undefined ? (
        <NoTills onNewKey={setWanted} known={{}} />
      ) : (
        <Tills key={journal.id} journal={journal} onNewKey={setWanted} />
      )}
      {wanted !== undefined && <NewKey wanted={wanted} onClose={close} />}
    </>
  );
}

type Open =
  | { readonly kind: 'rotate'; readonly till: Till; readonly key: KeyView }
  | { readonly kind: 'print'; readonly till: Till; readonly key: KeyView }
  | { readonly kind: 'revoke'; readonly till: Till; readonly key: KeyView };

function Tills({
  journal,
  onNewKey,
}: {
  readonly journal: JournalView;
  readonly onNewKey: (wanted: NewKeyFor) => void;
}) {
  const { t } = useTranslation('tills');
  const formats = useStoreFormats();
  const { data: tills } = useSuspenseQuery(tillsQuery(journal.id));
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const { administration, mode } = journal;
  const known = { administration, mode, taken: tills.map(({ label }) => label) };
  const able = tills.filter(({ keys }) => keys.some((key) => keyState(key, keys, Date.now()).kind !== 'ended')).length;
  if (tills.length === 0) return <NoTills onNewKey={onNewKey} known={known} />;
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="xs">
        <Title order={2} size={24} fw={600}>
          {t('canSend', { count: able, n: formats.number(able) })}
        </Title>
        <NewTillButtons onNewKey={onNewKey} known={known} />
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" style={{ alignItems: 'start' }}>
        {tills.map((till) => (
          <TillCard
            key={till.id}
            till={till}
            onRotate={(key) => setOpen({ kind: 'rotate', till, key })}
            onRevoke={(key) => setOpen({ kind: 'revoke', till, key })}
            onPrint={(key) => setOpen({ kind: 'print', till, key })}
            onNewKey={() => onNewKey({ ...known, till: till.label, isAdopting: false })}
          />
        ))}
      </SimpleGrid>
      <OtherMode journal={journal} onNewKey={onNewKey} />
      {open?.kind === 'rotate' && (
        <RotateKey journal={journal} till={open.till} keyToReplace={open.key} onClose={close} />
      )}
      {open?.kind === 'print' && <PrintCard journal={journal} till={open.till} shown={open.key} onClose={close} />}
      {open?.kind === 'revoke' && <RevokeKey till={open.till} keyToEnd={open.key} onClose={close} />}
    </Stack>
  );
}

/** Offers the mode that a store does not use yet. The first key in that mode starts the mode. */
function OtherMode({
  journal,
  onNewKey,
}: {
  readonly journal: JournalView;
  readonly onNewKey: (wanted: NewKeyFor) => void;
}) {
  const { t } = useTranslation('tills');
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const { administration } = journal;
  const other = journal.mode === 'test' ? 'production' : 'test';
  if (!useIsManager()) return null;
  if (journals.some((each) => each.administration === administration && each.mode === other)) return null;
  return (
    <Group gap="sm">
      <Text c="dimmed">{t(`no_${other}`, { store: administration })}</Text>
      <ManagerButton variant="light" onClick={() => onNewKey({ administration, mode: other, isAdopting: false })}>
        {t(`begin_${other}`)}
      </ManagerButton>
    </Group>
  );
}

interface NewTillProps {
  readonly known: Pick<NewKeyFor, 'administration' | 'mode' | 'taken'>;
  readonly onNewKey: (wanted: NewKeyFor) => void;
}

function NoTills({ known, onNewKey }: NewTillProps) {
  const { t } = useTranslation('tills');
  const isManager = useIsManager();
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={2} size={24}>
        {t('noTills')}
      </Title>
      {isManager && <Text>{t('noTillsMeans')}</Text>}
      <NewTillButtons onNewKey={onNewKey} known={known} />
    </Stack>
  );
}

function NewTillButtons({ known, onNewKey }: NewTillProps) {
  const { t } = useTranslation('tills');
  return (
    <Group gap="xs">
      <ManagerButton
        leftSection={<Plus size={16} aria-hidden />}
        onClick={() => onNewKey({ ...known, isAdopting: false })}
      >
        {t('newTill')}
      </ManagerButton>
      <ManagerButton
        variant="default"
        leftSection={<KeyRound size={16} aria-hidden />}
        onClick={() => onNewKey({ ...known, isAdopting: true })}
      >
        {t('takeOver')}
      </ManagerButton>
      <ManagersOnly />
    </Group>
  );
}
