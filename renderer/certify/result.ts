// The result of a run in words. Pure.

import type { TFunction } from 'i18next';

import { type CertificationView, countResults } from '../../server/contract/certify.ts';
import type { Formats } from '../locales/format.ts';

/** The number of steps without a result. */
export function openSteps({ steps }: Pick<CertificationView, 'steps'>): number {
  return steps.filter(({ state }) => state === 'open' || state === 'active').length;
}

export function headlineOf(
  run: Pick<CertificationView, 'steps' | 'state' | 'till'>,
  t: TFunction<'certify'>,
  formats: Pick<Formats, 'number'>,
): string {
  const { steps, state, till } = run;
  if (state === 'running') {
    const index = steps.findIndex((step) => step.state === 'active');
    const active = steps[index];
    if (active === undefined) return t('chooseStep');
    return t('stepOf', {
      n: formats.number(index + 1),
      all: formats.number(steps.length),
      step: t(`step_${active.name}`),
    });
  }
  const { passed, failed } = countResults(steps);
  if (failed > 0) return t('someFailed', { till, count: failed, n: formats.number(failed) });
  if (openSteps(run) > 0 || passed === 0) return t('notFinished', { till });
  return t(passed === steps.length ? 'allPassed' : 'passedSome', { till });
}
