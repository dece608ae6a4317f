// Problems of the network on every screen: in full for managers, in one sentence for clerks. A closed notice stays closed in this
// window until its problem changes.

import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { networkQuery } from '../api/queries.ts';
import { LinkButton } from '../components/link-button.tsx';
import { NetworkProblemAlert, ProblemTitle } from '../components/network-problems.tsx';
import { useNow } from '../lib/use-now.ts';
import { listProblems, type NetworkProblem } from '../model/network-state.ts';
import { useIsManager } from '../model/selected-journal.ts';

/** The page Network has its own list of problems. */
export function NetworkNotice({ isOnItsPage }: { readonly isOnItsPage: boolean }) {
  const { t } = useTranslation(['network', 'app']);
  const isManager = useIsManager();
  const now = useNow();
  const { data: view } = useQuery(networkQuery);
  const [closed, setClosed] = useState<readonly string[]>([]);
  const problems = view === undefined || isOnItsPage ? [] : listProblems(view, now);
  const open = problems.filter((problem) => !closed.includes(signatureOf(problem)));
  const close = (gone: readonly NetworkProblem[]) => () => setClosed([...closed, ...gone.map(signatureOf)]);
  const closing = { withCloseButton: true, closeButtonLabel: t('app:close') };
  return (
    <Stack gap="xs" role="status" mb={open.length === 0 ? 0 : 'md'}>
      {isManager
        ? open.map((problem) => (
            <NetworkProblemAlert key={problem.kind} problem={problem} {...closing} onClose={close([problem])}>
              <LinkButton to="/network" size="xs" variant="default">
                {t('seeNetwork')}
              </LinkButton>
            </NetworkProblemAlert>
          ))
        : open.length > 0 && (
            <Alert color="yellow" icon={<TriangleAlert size={16} aria-hidden />} {...closing} onClose={close(open)}>
              {open.map((problem) => (
                <Text key={problem.kind}>
                  <ProblemTitle problem={problem} />
                </Text>
              ))}
              <Text>{t('tellManager')}</Text>
            </Alert>
          )}
    </Stack>
  );
}

/** Equal as long as the same tills, addresses and certificate are concerned. Another call of a till changes nothing. */
function signatureOf(problem: NetworkProblem): string {
  switch (problem.kind) {
    case 'notListening':
      return JSON.stringify([problem.kind, problem.failures.map(({ address, detail }) => [address, detail])]);
    case 'certificateEnds':
      return JSON.stringify([problem.kind, problem.expiresAt, problem.isOver]);
    default:
      return JSON.stringify([
        problem.kind,
        problem.tills.map(({ till, administration, address }) => [till, administration, address]),
      ]);
  }
}
