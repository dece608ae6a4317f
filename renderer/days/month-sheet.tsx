// The printed summary of a month for the bookkeeper: the rows of each day, and the sums. It appears only on paper, not on the
// screen.

import { useTranslation } from 'react-i18next';

import { countWithoutAmount, hasSum } from '../../server/contract/amounts.ts';
import type { DayMoney } from '../../server/contract/day-money.ts';
import type { DaySummary } from '../../server/contract/days.ts';
import type { JournalView } from '../../server/contract/setup.ts';
import { ForeignText } from '../components/foreign-text.tsx';
import { PrintedPage } from '../components/printed-page.tsx';
import { useNow } from '../lib/use-now.ts';
import { dayStateOf } from '../model/day-state.ts';
import { useStoreFormats } from '../model/selected-journal.ts';
import { listMonthLines, sumDays } from './month-lines.ts';

import classes from './month-sheet.module.css';

export function MonthSheet({
  month,
  days,
  journal,
}: {
  readonly month: string;
  /** Only days that have a verdict. */
  readonly days: readonly DaySummary[];
  readonly journal: JournalView;
}) {
  const { t } = useTranslation(['day', 'days', 'app', 'today']);
  const { t: verdicts } = useTranslation('verdict');
  const formats = useStoreFormats();
  const now = useNow();
  const lines = listMonthLines(days);
  const sums = sumDays(days);
  const withoutAmount = countWithoutAmount(sums.amounts ?? []);
  const money = (currency: string | null, value: string | null): string =>
    value === null ? t('unknown') : formats.amount({ currency, value });
  const sumWords = ({ currency, here, withoutAmount: count }: DayMoney): string =>
    [
      ...(here === null && count > 0 ? [] : [money(currency, here)]),
      ...(count > 0 ? [t('today:withoutAmount', { count, n: formats.number(count) })] : []),
    ].join(', ');
  return (
    <PrintedPage
      className={classes.sheet}
      title={formats.month(month)}
      facts={
        <span>
          {t('days:monthSheet')} · <ForeignText>{journal.administration}</ForeignText> ·{' '}
          {t(journal.mode === 'test' ? 'app:test' : 'app:production')}
        </span>
      }
      printedAt={now}
    >
      <table className={classes.table}>
        <thead>
          <tr>
            <th>{t('days:day')}</th>
            <th>{t('days:verdict')}</th>
            <th>{t('sales')}</th>
            <th>{t('declared')}</th>
            <th>{t('amount')}</th>
            <th>{t('days:amountDeclared')}</th>
            <th>{t('difference')}</th>
            <th>{t('days:signedBy')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ day, amount, isFirst }) => (
            <tr key={`${day.date} ${amount?.currency}`}>
              <td>{isFirst && formats.date(day.date)}</td>
              <td>
                {isFirst && verdicts(dayStateOf(day))}
                {isFirst && day.isProvisional && ` (${t('provisionally')})`}
              </td>
              <td>{isFirst && formats.number(day.here)}</td>
              <td>{isFirst && day.declared !== null && formats.number(day.declared)}</td>
              <td className={classes.sums}>{amount !== undefined && sumWords(amount)}</td>
              <td>{amount?.declared != null && money(amount.currency, amount.declared)}</td>
              <td>{amount?.declared != null && money(amount.currency, amount.difference)}</td>
              <td>{isFirst && day.signOff?.isReopened === false && <ForeignText>{day.signOff.name}</ForeignText>}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td>{t('all')}</td>
            <td>{''}</td>
            <td>{formats.number(sums.here)}</td>
            <td>{''}</td>
            <td>
              {sums.amounts === null
                ? t('unknown')
                : sums.amounts.filter(hasSum).map((sum) => <div key={sum.currency}>{formats.amount(sum)}</div>)}
            </td>
            <td colSpan={3}>{''}</td>
          </tr>
        </tfoot>
      </table>
      {withoutAmount > 0 && (
        <p>{t('days:withoutAmount', { count: withoutAmount, n: formats.number(withoutAmount) })}</p>
      )}
    </PrintedPage>
  );
}
