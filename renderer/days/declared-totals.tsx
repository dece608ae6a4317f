// The totals that people and tills declared for a day, next to the counts at this gateway.

import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Amount } from '../../server/contract/amounts.ts';
import type { DayView, StoreDay } from '../../server/contract/days.ts';
import type { AmountComparison, DeclaredComparison } from '../../server/contract/declared-totals.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { differencesOf } from './count-rows.ts';
import { DeclareTotal } from './declare-total.tsx';
import { agreesInMoney, differsInMoney, moneyDifference } from './money-words.ts';
import { salesFor } from './record-searches.ts';
import { Section } from './section.tsx';
import { ShortList } from './short-list.tsx';
import { useDeclare } from './use-declare.ts';

import classes from './days.module.css';

export function DeclaredTotals({ view, journalId }: { readonly view: DayView; readonly journalId: number }) {
  const { t } = useTranslation('day');
  const [isDeclaring, setDeclaring] = useState(false);
  const { day, declared } = view;
  const change = useDeclare<{ of: DeclaredComparison; records: number | null; amounts?: readonly Amount[] }>(
    journalId,
    day.date,
  );
  const taken = change.isSuccess && change.variables.records === null ? change.variables.of : undefined;
  return (
    <Section name={t('declaredTitle')} id="declared">
      {declared.length === 0 && <Text c="dimmed">{t('nothingDeclared')}</Text>}
      {declared.length > 0 && (
        <ul className={classes.list}>
          {declared.map((each) => (
            <li key={each.id}>
              <Total
                day={day}
                declared={each}
                isPending={change.isPending}
                onTakeBack={() => change.mutate({ of: each, records: null })}
              />
            </li>
          ))}
        </ul>
      )}
      <div role="status">
        {taken !== undefined && (
          <Group gap="xs">
            <Text size="sm">{t('takenBack')}</Text>
            {/* No undo for a total with ids, because the ids would be lost. */}
            {taken.ids === null && (
              <Button
                variant="subtle"
                size="compact-sm"
                onClick={() => change.mutate({ of: taken, records: taken.records, amounts: declaredOf(taken) })}
              >
                {t('undo')}
              </Button>
            )}
          </Group>
        )}
        <ErrorAlert error={change.error} />
      </div>
      <Button
        variant="default"
        leftSection={<Plus size={16} aria-hidden />}
        onClick={() => {
          setDeclaring(true);
          change.reset();
        }}
        aria-haspopup="dialog"
        style={{ alignSelf: 'flex-start' }}
      >
        {t('declareDo')}
      </Button>
      {isDeclaring && <DeclareTotal view={view} journalId={journalId} onClose={() => setDeclaring(false)} />}
    </Section>
  );
}

function Total({
  day,
  declared,
  isPending,
  onTakeBack,
}: {
  readonly day: StoreDay;
  readonly declared: DeclaredComparison;
  readonly isPending: boolean;
  readonly onTakeBack: () => void;
}) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const { type, tillId, till, records, here, source, actor, at, ids, amounts } = declared;
  const what = `${type ?? t('anyType')} · ${till ?? t('anyTill')}`;
  const [difference] = differencesOf({ here, upstream: null, declared: records });
  const differsInIds = ids !== null && ids.missingCount + ids.undeclaredCount > 0;
  return (
    <>
      <div className={classes.item}>
        <div className={classes.told}>
          <Text span fw={600}>
            {t('of', { what, n: formats.number(records) })}
          </Text>
          {', '}
          <Anchor
            underline="always"
            renderRoot={(props) => <Link {...props} to="/records" search={salesFor(day, { type, tillId })} />}
          >
            {t('hereOf', { count: here, n: formats.number(here) })}
          </Anchor>
          {amounts.map((amount) => (
            <MoneyLine key={amount.currency} amount={amount} />
          ))}
          <Text size="sm" c="dimmed" title={formats.exact(at)}>
            {t(source === 'till' ? 'byTill' : source, { who: actor, time: formats.time(at) })}
          </Text>
        </div>
        {difference !== undefined && (
          <StateMark tone="differs">{t(difference.name, { n: formats.number(difference.n) })}</StateMark>
        )}
        {difference === undefined && differsInIds && <StateMark tone="differs">{t('idsDiffer')}</StateMark>}
        {amounts.filter(differsInMoney).map((amount) => (
          <StateMark key={amount.currency} tone="differs">
            {moneyDifference(amount, t, formats)}
          </StateMark>
        ))}
        {difference === undefined && !differsInIds && amounts.every(agreesInMoney) && (
          <StateMark tone="fine" isPlain>
            {t('agrees')}
          </StateMark>
        )}
        <Button
          variant="subtle"
          size="compact-md"
          disabled={isPending}
          onClick={onTakeBack}
          aria-label={`${t('takeBack')}: ${what}`}
        >
          {t('takeBack')}
        </Button>
      </div>
      {ids !== null && (
        <Stack gap={4} pl="md">
          <Ids title={t('idsMissing')} ids={ids.missing} total={ids.missingCount} />
          <Ids title={t('idsUndeclared')} ids={ids.undeclared} total={ids.undeclaredCount} />
        </Stack>
      )}
    </>
  );
}

/** The declared amounts of a total. Leaves out currencies that nobody declared. */
function declaredOf({ amounts }: DeclaredComparison): Amount[] {
  return amounts.flatMap(({ currency, declared }) => (declared === null ? [] : [{ currency, value: declared }]));
}

function MoneyLine({ amount: { currency, declared, here } }: { readonly amount: AmountComparison }) {
  const { t } = useTranslation('day');
  const formats = useStoreFormats();
  const said = (value: string | null): string =>
    value === null ? t('amountNone') : formats.amount({ currency, value });
  return (
    <div>
      {here === null
        ? t('amountUnknown', { declared: said(declared) })
        : t('amountHere', { declared: said(declared), here: said(here) })}
    </div>
  );
}

function Ids({
  title,
  ids,
  total,
}: {
  readonly title: string;
  readonly ids: readonly string[];
  /** The number of all ids. `ids` may hold only the first of them. */
  readonly total: number;
}) {
  const formats = useStoreFormats();
  if (total === 0) return null;
  return (
    <>
      <Text size="sm" fw={600}>
        {title}: {formats.number(total)}
      </Text>
      <ShortList label={title} items={ids} total={total} keyOf={(id) => id}>
        {(id) => (
          <Link to="/records" search={{ id }} className={`${classes.id} ${classes.link}`}>
            <ForeignText>{id}</ForeignText>
          </Link>
        )}
      </ShortList>
    </>
  );
}
