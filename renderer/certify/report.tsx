// The printed report of a certification, on A4. It is not visible on the screen.

import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';

import {
  type CertificationView,
  type CertifyStepView,
  countOpen,
  countResults,
} from '../../server/contract/certify.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { PrintedPage } from '../components/printed-page.tsx';
import { useNow } from '../lib/use-now.ts';
import type { Formats } from '../locales/format.ts';
import { useActorWords } from '../model/actor-words.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { eventWords, STEP_VALUES } from './event-words.ts';
import { headlineOf } from './result.ts';

import classes from './report.module.css';

/** Maximum number of events that the printed report shows for one step. */
const MAX_PRINTED = 8;

export function Report({ run }: { readonly run: CertificationView }) {
  const { t } = useTranslation('certify');
  const formats = useStoreFormats();
  const now = useNow();
  const isRunning = run.state === 'running';
  // `now` may be some seconds old, and so earlier than the end of the run
  const printedAt = Math.max(now, run.startedAt, run.endedAt ?? 0);
  const nameOf = useActorWords();
  return (
    <PrintedPage
      className={classes.report}
      title={
        <>
          {t('report')} · <ForeignText>{run.till}</ForeignText>
        </>
      }
      facts={
        <>
          <span>{isRunning ? t('reportRunning') : headlineOf(run, t, formats)}</span>
          <span>{t('results', { ...countResults(run.steps), open: countOpen(run.steps) })}</span>
        </>
      }
      printedAt={printedAt}
      number={`${t('reportNumber')} ${run.id} · ${run.till}`}
    >
      <dl className={classes.facts}>
        <dt>{t('reportStore')}</dt>
        <dd>{run.administration}</dd>
        <dt>{t('reportTill')}</dt>
        <dd>
          <ForeignText>{run.till}</ForeignText>
        </dd>
        <dt>{t('reportKey')}</dt>
        <dd>{run.keyId}</dd>
        <dt>{t('reportInterface')}</dt>
        <dd>{t(`interface_${run.interface}`)}</dd>
        <dt>{t('reportFrom')}</dt>
        <dd>{formats.exact(run.startedAt)}</dd>
        <dt>{t('reportTo')}</dt>
        <dd>{endWords(run, t, formats)}</dd>
        <dt>{t('reportBy')}</dt>
        <dd>{nameOf(run.by)}</dd>
        <dt>{t('reportVersion')}</dt>
        <dd>Counterfoil {run.version}</dd>
      </dl>
      <table className={classes.steps}>
        <thead>
          <tr>
            <th>{t('reportStep')}</th>
            <th>{t('reportResult')}</th>
            <th>{t('evidence')}</th>
          </tr>
        </thead>
        <tbody>
          {run.steps.map((step, index) => (
            <StepRow key={step.name} step={step} number={index + 1} />
          ))}
        </tbody>
      </table>
    </PrintedPage>
  );
}

function endWords({ state, endedAt }: CertificationView, t: TFunction<'certify'>, formats: Formats): string {
  if (state === 'running' || endedAt === null) return t('reportRunning');
  const time = formats.exact(endedAt);
  return state === 'ended' ? time : t(`run_${state}`, { time, minutes: STEP_VALUES.minutes });
}

function StepRow({ step, number }: { readonly step: CertifyStepView; readonly number: number }) {
  const { t } = useTranslation('certify');
  const formats = useStoreFormats();
  const { name, state, finding, reason, attempts, events, dropped = 0, missing = 0 } = step;
  const nameOf = useActorWords();
  const isTested = state === 'passed' || state === 'failed';
  const more = Math.max(0, events.length - MAX_PRINTED) + dropped;
  return (
    <tr>
      <td>
        {number}. {t(`step_${name}`)}
      </td>
      <td>
        <strong>{t(state === 'active' ? 'state_open' : `state_${state}`)}</strong>
        {isTested && attempts > 1 && <div>{t('attempts', { n: attempts })}</div>}
      </td>
      <td>
        {(isTested || state === 'skipped') && finding !== null && (
          <div>{t(`finding_${finding}`, { ...STEP_VALUES, missing: formats.number(missing) })}</div>
        )}
        {reason !== '' && <div>{t('reason', { reason })}</div>}
        {isTested &&
          events.slice(0, MAX_PRINTED).map((event, index) => (
            <div key={index} className={classes.event}>
              {formats.timeToSecond(event.at)} {eventWords(event, t, formats, nameOf)}
            </div>
          ))}
        {isTested && more > 0 && <div>{t('moreEvents', { count: more, n: formats.number(more) })}</div>}
      </td>
    </tr>
  );
}
