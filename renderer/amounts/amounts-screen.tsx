// The screen Amounts. Rules say where a record contains its total, currency and payment method. The gateway proposes a rule for
// each type, and a manager confirms it.

import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type {
  AmountRule,
  AmountRuleRequest,
  AmountRuleState,
  AmountSuggestion,
} from '../../server/contract/amounts.ts';
import { amountsQuery } from '../api/queries.ts';
import { Confirmation } from '../components/confirmation.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { ForeignText } from '../components/foreign-text.tsx';
import { ManagerButton, ManagersOnly } from '../components/manager-button.tsx';
import { NoStoreYet } from '../components/no-store-yet.tsx';
import { FailedScreen, LoadingScreen } from '../components/screen-fallbacks.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { RuleForm } from './rule-form.tsx';
import { useSaveRule } from './use-save-rule.ts';

import classes from './amounts.module.css';

export function AmountsScreen(): ReactNode {
  const journal = useSelectedJournal();
  return journal === undefined ? <NoStoreYet /> : <Amounts key={journal.id} journalId={journal.id} />;
}

function Amounts({ journalId }: { readonly journalId: number }) {
  const { t } = useTranslation('amounts');
  const { data: view, error, refetch } = useQuery(amountsQuery(journalId));
  const [isAdding, setAdding] = useState(false);
  if (view === undefined)
    return error === null ? <LoadingScreen /> : <FailedScreen error={error} reset={() => void refetch()} />;
  const { rules, suggestions } = view;
  const title = rules.length > 0 ? 'titleSet' : suggestions.length > 0 ? 'titleSuggested' : 'titleNone';
  return (
    <Stack gap="lg" maw={860}>
      <Stack gap={4}>
        <Title order={2} size={24} fw={600}>
          {t(title)}
        </Title>
        <Text c="dimmed">{t('means')}</Text>
        <ManagersOnly />
      </Stack>
      {rules.map((rule) => (
        <RuleCard key={rule.type} rule={rule} />
      ))}
      {suggestions.map((suggestion) => (
        <SuggestionCard key={suggestion.rule.type} suggestion={suggestion} />
      ))}
      {isAdding ? (
        <Paper withBorder p="md">
          <RuleForm rule={undefined} onDone={() => setAdding(false)} />
        </Paper>
      ) : (
        <ManagerButton variant="default" style={{ alignSelf: 'flex-start' }} onClick={() => setAdding(true)}>
          {t('add')}
        </ManagerButton>
      )}
    </Stack>
  );
}

/** The parts of a rule that a request contains: everything except the type. */
function partsOf({ total, currency, payment, sign }: AmountRule): NonNullable<AmountRuleRequest['rule']> {
  return { total, currency, payment, sign };
}

function RuleCard({ rule }: { readonly rule: AmountRuleState }) {
  const save = useSaveRule();
  const { t } = useTranslation('amounts');
  const formats = useStoreFormats();
  const [open, setOpen] = useState<'change' | 'remove'>();
  const { type, fill } = rule;
  return (
    <Paper withBorder p="md" component="section" aria-label={type}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={3} size="h5">
            {t('type')} <ForeignText>{type}</ForeignText>
          </Title>
          {fill === null ? (
            <StateMark tone="fine">{t('inForce')}</StateMark>
          ) : (
            <StateMark tone="waiting">
              {t('filling', { done: formats.number(fill.done), total: formats.number(fill.total) })}
            </StateMark>
          )}
        </Group>
        {open === 'change' ? (
          <RuleForm rule={rule} onDone={() => setOpen(undefined)} />
        ) : (
          <>
            <Places rule={rule} />
            <Group gap="xs">
              <ManagerButton size="sm" variant="default" onClick={() => setOpen('change')}>
                {t('change')}
              </ManagerButton>
              <ManagerButton size="sm" variant="default" onClick={() => setOpen('remove')}>
                {t('remove')}
              </ManagerButton>
            </Group>
          </>
        )}
      </Stack>
      {open === 'remove' && (
        <Confirmation
          title={t('removeTitle', { type })}
          act={t('removeDo')}
          isPending={save.isPending}
          error={save.error}
          onDo={() => save.mutate({ type, rule: null }, { onSuccess: () => setOpen(undefined) })}
          onClose={() => {
            setOpen(undefined);
            save.reset();
          }}
        >
          {t('removeMeans')}
        </Confirmation>
      )}
    </Paper>
  );
}

function SuggestionCard({ suggestion }: { readonly suggestion: AmountSuggestion }) {
  const save = useSaveRule();
  const { t } = useTranslation('amounts');
  const formats = useStoreFormats();
  const [isChanging, setChanging] = useState(false);
  const { rule, looked, readable, example } = suggestion;
  const amount = formats.amount(example.amount);
  const { externalId: id, payment } = example;
  return (
    <Paper withBorder p="md" component="section" aria-label={rule.type} className={classes.suggested ?? ''}>
      <Stack gap="sm">
        <Title order={3} size="h5">
          {t('suggested')} <ForeignText>{rule.type}</ForeignText>
        </Title>
        <Text fz="lg" style={{ overflowWrap: 'anywhere' }}>
          {payment === null ? t('example', { id, amount }) : t('examplePaid', { id, amount, payment })}
        </Text>
        <Text c="dimmed">
          {t('readable', { count: looked, n: formats.number(looked), readable: formats.number(readable) })}
        </Text>
        {isChanging ? (
          <RuleForm rule={rule} onDone={() => setChanging(false)} />
        ) : (
          <>
            <Places rule={rule} />
            <ErrorAlert error={save.error} />
            <Group gap="xs">
              <ManagerButton
                size="sm"
                loading={save.isPending}
                onClick={() => save.mutate({ type: rule.type, rule: partsOf(rule) })}
              >
                {t('confirm')}
              </ManagerButton>
              <ManagerButton size="sm" variant="default" onClick={() => setChanging(true)}>
                {t('change')}
              </ManagerButton>
            </Group>
          </>
        )}
      </Stack>
    </Paper>
  );
}

/** Shows where a record contains its total, currency and payment method. */
function Places({ rule: { total, currency, payment, sign } }: { readonly rule: AmountRule }) {
  const { t } = useTranslation('amounts');
  const rows = [
    [t('total'), total],
    [t('currency'), currency ?? t('none')],
    [t('payment'), payment ?? t('none')],
    [t('sign'), t(sign === 'negative' ? 'negative' : 'asSent')],
  ] as const;
  return (
    <dl className={classes.places}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <ForeignText>{value}</ForeignText>
          </dd>
        </div>
      ))}
    </dl>
  );
}
