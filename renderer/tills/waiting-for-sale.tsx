// Waits for the first sale of a new till. Until the sale comes, the component explains from the refusal log what goes wrong.

import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Hourglass } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { recordsUrl } from '../../server/contract/join-request.ts';
import { recordPageQuery, refusalsQuery, tillsQuery } from '../api/queries.ts';
import { StateMark } from '../components/state-mark.tsx';
import { useNow } from '../lib/use-now.ts';
import { type JoinHint, joinHints, type JoinState, joinState } from '../model/join-hint.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import type { Joining } from './joining.ts';

import classes from './join-card.module.css';

/** A call that stores nothing causes no live event, so the last use of the key is polled. */
const POLL_MS = 5000;

export function WaitingForSale({
  journalId,
  joining,
  onUsed,
}: {
  /** Undefined while the new journal is not loaded yet. */
  readonly journalId: number | undefined;
  readonly joining: Pick<Joining, 'till' | 'key' | 'place'>;
  /** Called when the till has used the key. */
  readonly onUsed?: () => void;
}) {
  const { t } = useTranslation('join');
  const { till, place } = joining;
  const formats = useStoreFormats();
  const { state, hints } = useJoinState(journalId, joining.key);
  const isUsed = state.kind !== 'waiting';
  useEffect(() => {
    if (isUsed) onUsed?.();
  }, [isUsed, onUsed]);

  return (
    <Stack gap="xs" aria-live="polite">
      {state.kind === 'arrived' ? (
        <>
          <StateMark tone="fine" size="md" Icon={CircleCheck}>
            {t('arrived', { till, time: formats.timeToSecond(state.record.receivedAt) })}
          </StateMark>
          {(state.clock === 'ahead' || state.clock === 'late') && (
            <Alert color="yellow" p="sm">
              {t(`clock_${state.clock}`, {
                span: formats.span(Math.abs(state.record.receivedAt - state.record.soldAt * 1000)),
              })}
            </Alert>
          )}
        </>
      ) : (
        <>
          <StateMark tone="waiting" size="md" Icon={Hourglass}>
            {state.kind === 'called'
              ? t('called', { till, time: formats.timeToSecond(state.at) })
              : t('waiting', { till })}
          </StateMark>
          {hints.length > 0 && (
            // This list scrolls, so users of a keyboard must be able to focus it.
            <Stack gap="xs" className={classes.hints} tabIndex={0} role="region" aria-label={t('hints')}>
              {hints.map((hint) => (
                <Hint
                  key={`${hint.group.code} ${hint.group.keyId} ${hint.group.address}`}
                  hint={hint}
                  joining={joining}
                />
              ))}
            </Stack>
          )}
          {state.kind === 'waiting' && state.isSilent && <Silent address={place.address} />}
        </>
      )}
    </Stack>
  );
}

/** The state of a new till: whether the till has sold with its new key and, if not, what goes wrong. */
export function useJoinState(
  journalId: number | undefined,
  key: Joining['key'],
): { readonly state: JoinState; readonly hints: readonly JoinHint[] } {
  const [startedAt] = useState(() => Date.now());
  const now = useNow();
  const enabled = journalId !== undefined;
  const journal = journalId ?? 0;
  const { data: tills } = useQuery({ ...tillsQuery(journal), enabled, refetchInterval: POLL_MS });
  const found = tills?.find(({ keys }) => keys.some(({ id }) => id === key.id));
  const { data: page } = useQuery({
    ...recordPageQuery(journal, { till: found?.id ?? 0 }),
    enabled: enabled && found !== undefined,
  });
  const { data: groups } = useQuery({ ...refusalsQuery(journal, Math.floor(key.createdAt / 1000)), enabled });
  const lastUsedAt = found?.keys.find(({ id }) => id === key.id)?.lastUsedAt ?? null;
  const known = { keyId: key.id, createdAt: key.createdAt, lastUsedAt };
  const hints = joinHints(groups ?? [], known);
  return { state: joinState(known, page?.records ?? [], hints, now - startedAt), hints };
}

function Hint({
  hint: { kind, group },
  joining: { key, place },
}: {
  readonly hint: JoinHint;
  readonly joining: Pick<Joining, 'key' | 'place'>;
}) {
  const { t } = useTranslation('join');
  const formats = useStoreFormats();
  const values = {
    device: group.address.replace(/^::ffff:(?=\d+\.)/, ''),
    // If the refusal has a key, the call was on the earlier interface: only that interface checks the key before the path.
    url: recordsUrl(place.address, group.keyId === null ? key.interface : 'earlier'),
    end: group.excerpt,
    detail: group.detail,
    path: group.path,
  };
  return (
    <Alert color="yellow" p="sm">
      <Text fw={600}>
        {t(`hint_${kind}`, values)}{' '}
        <Text span size="xs" title={formats.exact(group.lastAt)}>
          {formats.timeToSecond(group.lastAt)}
        </Text>
      </Text>
      {t(`do_${kind}`, values)}
    </Alert>
  );
}

/** No call has come: the address, the network or a firewall is the likely cause. */
function Silent({ address }: { readonly address: string }) {
  const { t } = useTranslation('join');
  const { hostname = '', port = '', protocol = '' } = URL.parse(address) ?? {};
  return (
    <Alert color="yellow" p="sm">
      <Text fw={600}>{t('silent')}</Text>
      <Text>{t('silentAddress', { address })}</Text>
      <Text>{t('silentNetwork', { host: hostname })}</Text>
      <Text>{t('silentFirewall', { port: port || (protocol === 'http:' ? '80' : '443') })}</Text>
    </Alert>
  );
}
