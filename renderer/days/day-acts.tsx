// The acts for a store day. The most urgent one is the filled button.

import { type ButtonProps, Group, Stack, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { DayView } from '../../server/contract/days.ts';
import type { LaneActAnswer } from '../../server/contract/lanes.ts';
import type { ReasonCode } from '../../server/contract/verdicts.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import { useNow } from '../lib/use-now.ts';
import { isSigned } from '../model/day-state.ts';
import { useIsManager, useStoreFormats } from '../model/selected-journal.ts';
import { CheckButtons } from './checks.tsx';
import { PrintButton } from './print-button.tsx';
import { SignOff } from './sign-off.tsx';

export function DayActs({ view, journalId }: { readonly view: DayView; readonly journalId: number }) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const isManager = useIsManager();
  const { day } = view;
  const resend = useAct((_reason: ReasonCode) =>
    send<LaneActAnswer>('POST', `days/${day.date}/resend?journal=${journalId}`, {}),
  );
  const countOf = (wanted: ReasonCode): number => day.reasons.find(({ code }) => code === wanted)?.count ?? 0;
  const [missing, unseen] = [countOf('missing_upstream'), countOf('not_seen_yet')];
  const isOver = day.to * 1000 <= useNow();
  const counted = (count: number) => ({ count, n: formats.number(count) });
  return (
    <Stack gap={0}>
      {!isManager && missing > 0 && <Text mb="xs">{t('askManager')}</Text>}
      <Group gap="xs">
        {missing > 0 && (
          <ResendButton reason="missing_upstream" text={t('sendMissing', counted(missing))} resend={resend} />
        )}
        {unseen > 0 && (
          <ResendButton
            reason="not_seen_yet"
            text={t('sendUnseen', counted(unseen))}
            title={t('sendUnseenHint')}
            variant="default"
            resend={resend}
          />
        )}
        {isOver && !isSigned(day) && <SignOff day={day} journalId={journalId} isFirst={day.verdict === 'complete'} />}
        <CheckButtons
          journalId={journalId}
          dates={{ from: day.date, to: day.date }}
          word={t('checkNow')}
          isFirst={false}
        />
        <PrintButton>{t('print')}</PrintButton>
      </Group>
      <div role="status">
        {resend.isSuccess && (
          <Text size="sm" mt="xs">
            {t('sentMissing', counted(resend.data.records))}
          </Text>
        )}
        <ErrorAlert error={resend.error} />
      </div>
    </Stack>
  );
}

/**
 * A button that sends records again. Two of these buttons run the same act, but only the pressed one shows that the act is
 * pending.
 */
function ResendButton({
  reason,
  text,
  resend,
  ...look
}: {
  readonly reason: ReasonCode;
  readonly text: string;
  readonly resend: UseMutationResult<LaneActAnswer, Error, ReasonCode>;
} & Pick<ButtonProps, 'variant'> & { readonly title?: string }) {
  const isPressed = resend.variables === reason;
  return (
    <ManagerButton
      {...look}
      leftSection={<RotateCw size={16} aria-hidden />}
      loading={resend.isPending && isPressed}
      disabled={resend.isPending && !isPressed}
      onClick={() => resend.mutate(reason)}
    >
      {text}
    </ManagerButton>
  );
}
