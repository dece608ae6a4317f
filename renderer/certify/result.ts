// The result of a run in words. Pure.

import type { TFunction } from 'i18next';

import { type CertificationView, countResults, outcomeOf } from '../../server/contract/certify.ts';
import type { Formats } from '../locales/format.ts';

export function headlineOf(
  { steps, state, till }: Pick<CertificationView, 'steps' | 'state' | 'till'>,
  t: TFunction<'certify'>,
  formats: Pick<Formats, 'number'>,
): string {
  if (state === 'running') {
    const index = steps.findIndex((step) => step.state === 'active');
    const active = steps[index];
    if (active === undefined) return t('chooseStep', { till });
    return t('stepOf', {
      till,
      n: formats.number(index + 1),
      all: formats.number(steps.length),
      step: t(`step_${active.name}`),
    });
  }
  const outcome = outcomeOf(steps);
  if (outcome !== 'someFailed') return t(outcome, { till });
  const { failed } = countResults(steps);
  return t('someFailed', { till, count: failed, n: formats.number(failed) });
}
