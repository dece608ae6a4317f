// The result of a connection test, step by step: what was found, and what to do if a step fails.

import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { CHECK_STEPS, type UpstreamCheck } from '../../server/contract/lanes.ts';
import { StateMark } from '../components/state-mark.tsx';

export function CheckSteps({ steps }: UpstreamCheck) {
  const { t } = useTranslation('upstream');
  const { t: findings } = useTranslation('check');
  const isFine = steps.every((step) => step.isFine);
  const failedAt = steps.find((step) => !step.isFine)?.step;
  // Steps after the failed step were not tried. If no step failed, a missing step was not needed.
  const untried = failedAt === undefined ? [] : CHECK_STEPS.slice(CHECK_STEPS.indexOf(failedAt) + 1);
  return (
    <Stack gap="xs">
      <Text fw={600}>{t(isFine ? 'checkFine' : 'checkFailed')}</Text>
      <Stack gap={6} component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map(({ step, isFine: passed, finding, host, seen, code }) => (
          <li key={step}>
            <StateMark tone={passed ? 'fine' : 'bad'}>{t(`step_${step}`)}</StateMark>
            <Text size="sm" pl={22} style={{ overflowWrap: 'anywhere' }}>
              {findings(finding, { host, seen: seen ?? '' })}{' '}
              {code !== null && (
                <Text span size="xs" c="dimmed">
                  {code}
                </Text>
              )}
            </Text>
          </li>
        ))}
        {untried.map((step) => (
          <li key={step}>
            <StateMark tone="unknown">{t('notTried', { step: t(`step_${step}`) })}</StateMark>
          </li>
        ))}
      </Stack>
    </Stack>
  );
}
