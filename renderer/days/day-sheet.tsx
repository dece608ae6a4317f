// The printed sheet of a day: one page with room for a signature. It is not visible on the screen.

import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

import { type DayView, FINDING_KINDS } from '../../server/contract/days.ts';
import type { JournalView } from '../../server/contract/setup.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { PrintedPage } from '../components/printed-page.tsx';
import { useNow } from '../lib/use-now.ts';
import { dayStateOf } from '../model/day-state.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { CountTable } from './count-table.tsx';
import { completeSentence, reasonSentence } from './day-words.ts';
import { useEvidence } from './evidence.tsx';
import { countFindings, findingTitle } from './finding-count.ts';
import { listSentences } from './outage-words.ts';

import classes from './day-sheet.module.css';

/** Maximum numbers on the printed page: ids in a list, characters of all ids together, and outages. */
const MAX_PRINTED = { ids: 12, characters: 1000, outages: 4 };

export function DaySheet({ view, journal }: { readonly view: DayView; readonly journal: JournalView }) {
  const { t } = useTranslation(['day', 'app']);
  const { t: verdicts } = useTranslation('verdict');
  const { t: sentences } = useTranslation('reason');
  const formats = useStoreFormats();
  const now = useNow();
  const evidence = useEvidence(view, true);
  const { day } = view;
  const outages = listSentences(view, t, formats);
  const said =
    day.reasons.length === 0
      ? [completeSentence(day, t, formats)]
      : day.reasons.map((reason) => reasonSentence(reason, sentences, formats));
  const more = (shown: number, all: number): string =>
    all > shown ? ` ${t('andMore', { count: all - shown, n: formats.number(all - shown) })}` : '';
  const found = FINDING_KINDS.map((kind) => ({
    title: t(findingTitle(day, kind)),
    total: countFindings(view, kind),
    ids: view.findings.filter((finding) => finding.kind === kind).map(({ externalId }) => externalId),
  }));
  const declaredIds = (title: string, of: 'missing' | 'undeclared') => {
    const lists = view.declared.flatMap(({ ids: each }) => each ?? []);
    const ids = [...new Set(lists.flatMap((each) => each[of]))];
    const unlisted = lists.reduce((sum, each) => sum + each[`${of}Count`] - each[of].length, 0);
    return { title, total: ids.length + unlisted, ids };
  };
  const declared = [declaredIds(t('idsMissing'), 'missing'), declaredIds(t('idsUndeclared'), 'undeclared')];
  const filled = [...found, ...declared].filter(({ ids }) => ids.length > 0);
  const lists = filled.map((list) => ({ ...list, ids: fitting(list.ids, MAX_PRINTED.characters / filled.length) }));

  return (
    <PrintedPage
      className={classes.sheet}
      title={formats.fullDate(day.date)}
      facts={
        <span>
          {t('sheet')} · {journal.administration} · {t(journal.mode === 'test' ? 'app:test' : 'app:production')}
        </span>
      }
      printedAt={now}
    >
      <div>
        <strong className={classes.verdict}>
          {verdicts(dayStateOf(day))}
          {day.isProvisional && ` (${t('provisionally')})`}
        </strong>
        <p>{said.join(' ')}</p>
      </div>
      <CountTable view={view} isPrinted />
      {lists.map(({ title, total, ids }) => (
        <p key={title}>
          <strong>
            {title} ({formats.number(total)}):
          </strong>{' '}
          <span className={classes.ids}>
            {ids.map((id, index) => (
              <Fragment key={id}>
                {index > 0 && ', '}
                <ForeignText>{id}</ForeignText>
              </Fragment>
            ))}
          </span>
          {more(ids.length, total)}
        </p>
      ))}
      {outages.length > 0 && (
        <p>
          <strong>{t('outages')}:</strong> {outages.slice(0, MAX_PRINTED.outages).join(' ')}
          {more(MAX_PRINTED.outages, outages.length)}
        </p>
      )}
      <p>
        <strong>{t('evidence')}:</strong> {evidence.map(({ text }) => text).join(' · ')}
      </p>
      {day.signOff !== null && (
        <p>
          {t(day.signOff.isReopened ? 'reopened' : 'signed', {
            name: day.signOff.name,
            time: formats.exact(day.signOff.at),
          })}{' '}
          {day.signOff.note !== '' && t('quoted', { note: day.signOff.note })}
        </p>
      )}
    </PrintedPage>
  );
}

/** Returns as many of the first ids as fit on the page, but at least one. It never cuts an id. */
function fitting(ids: readonly string[], characters: number): readonly string[] {
  let room = characters;
  return ids.slice(0, MAX_PRINTED.ids).filter((id, index) => {
    room -= id.length;
    return index === 0 || room >= 0;
  });
}
