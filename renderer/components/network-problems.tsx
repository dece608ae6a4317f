// The problems of the network: cause, since when, what is safe, and what to do. Clerks see only one sentence per problem.

import { Alert, Stack, Text } from '@mantine/core';
import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { TillAtAddress } from '../../server/contract/network.ts';
import type { NetworkProblem } from '../model/network-state.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { ForeignText } from './foreign-text.tsx';

/** Shows problems in one notice, in the colour of the most serious problem. */
export function NetworkProblemAlert({
  problems,
  isShort = false,
  children,
  ...closing
}: {
  readonly problems: readonly NetworkProblem[];
  /** True to show only one sentence per problem. */
  readonly isShort?: boolean;
  /** What the user can do next, such as a button. */
  readonly children?: ReactNode;
  readonly withCloseButton?: boolean;
  readonly closeButtonLabel?: string;
  readonly onClose?: () => void;
}) {
  const [color, Icon] = problems.some(isBad)
    ? (['red', CircleAlert] as const)
    : problems.every(({ kind }) => kind === 'uncertified')
      ? (['blue', Info] as const)
      : (['yellow', TriangleAlert] as const);
  return (
    <Alert color={color} icon={<Icon size={16} aria-hidden />} {...closing}>
      <Stack gap={isShort ? 4 : 'md'} align="flex-start">
        {problems.map((problem) => (
          <Stack key={problem.kind} gap={4}>
            <Text fw={600}>
              <ProblemTitle problem={problem} />
            </Text>
            {!isShort && <ProblemText problem={problem} />}
          </Stack>
        ))}
        {children}
      </Stack>
    </Alert>
  );
}

function isBad(problem: NetworkProblem): boolean {
  return problem.kind === 'notListening' || (problem.kind === 'certificateEnds' && problem.isOver);
}

/** One sentence about a problem. */
function ProblemTitle({ problem }: { readonly problem: NetworkProblem }) {
  const { t } = useTranslation('network');
  const formats = useStoreFormats();
  switch (problem.kind) {
    case 'notListening':
      return t('notListening', { count: problem.failures.length, n: problem.failures.length });
    case 'uncertified':
      return t('uncertified', { count: problem.failures.length, n: problem.failures.length });
    case 'certificateEnds':
      return problem.isOver
        ? t('certificateOver', { time: formats.time(problem.expiresAt) })
        : t('certificateEnds', { time: formats.time(problem.expiresAt) });
    case 'newAuthority':
      return t('newAuthority', { count: problem.tills.length, n: formats.number(problem.tills.length) });
    case 'oldAddress':
      return t('oldAddress', { count: problem.tills.length, n: formats.number(problem.tills.length) });
  }
}

function ProblemText({ problem }: { readonly problem: NetworkProblem }) {
  const { t } = useTranslation('network');
  const formats = useStoreFormats();
  switch (problem.kind) {
    case 'notListening':
    case 'uncertified':
      return (
        <>
          <List>
            {problem.failures.map(({ address, detail, since }) => (
              <li key={`${address} ${detail}`}>
                {address !== '' && <ForeignText>{`${address}: `}</ForeignText>}
                <span lang="en">{detail}</span>
                {problem.kind === 'notListening' && ` (${t('since', { time: formats.time(since) })})`}
              </li>
            ))}
          </List>
          <Text size="sm">{t(`${problem.kind}Safe`)}</Text>
          <Text size="sm">{t(`${problem.kind}Do`)}</Text>
        </>
      );
    case 'certificateEnds':
      return (
        <>
          <Text size="sm">{t(problem.isOver ? 'certificateOverMeans' : 'certificateEndsMeans')}</Text>
          <Text size="sm">{t('certificateEndsDo')}</Text>
        </>
      );
    case 'newAuthority':
      return (
        <>
          <Text size="sm">
            {problem.since === undefined
              ? t('newAuthorityMeans')
              : t('newAuthorityMeansSince', { time: formats.time(problem.since) })}
          </Text>
          <Tills tills={problem.tills} />
          <Text size="sm">{t('newAuthorityDo')}</Text>
        </>
      );
    case 'oldAddress':
      return (
        <>
          <Text size="sm">{t('oldAddressMeans')}</Text>
          <Tills tills={problem.tills} />
          <Text size="sm">
            {problem.address === undefined ? t('oldAddressWait') : t('oldAddressDo', { address: problem.address })}
          </Text>
        </>
      );
  }
}

function Tills({ tills }: { readonly tills: readonly TillAtAddress[] }) {
  const { t } = useTranslation('network');
  const formats = useStoreFormats();
  return (
    <List>
      {tills.map(({ till, administration, address, at }) => (
        <li key={`${administration} ${till} ${address}`} title={formats.exact(at)}>
          {t('tillAt', { till, store: administration, address, time: formats.time(at) })}
        </li>
      ))}
    </List>
  );
}

function List({ children }: { readonly children: ReactNode }) {
  return (
    <Text component="ul" size="sm" m={0} pl="md" style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Text>
  );
}
