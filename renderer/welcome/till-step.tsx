// The page for the first till: the form, then the card with the till's key. If a till already has a key, the page says so and
// offers to continue.

import { Button, Group, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Mode } from '../../server/contract/codes.ts';
import type { NetworkView } from '../../server/contract/network.ts';
import type { CreatedKey, JournalView } from '../../server/contract/setup.ts';
import { tillsQuery } from '../api/queries.ts';
import { LinkButton } from '../components/link-button.tsx';
import { LoadingScreen } from '../components/screen-fallbacks.tsx';
import { NewKeySecret } from '../tills/new-key-secret.tsx';
import { findFirstTill } from './progress.ts';
import { type Place, Question } from './question.tsx';
import type { KnownStore } from './store-form.tsx';
import { TillForm } from './till-form.tsx';

export type WhereKey = { readonly administration: string; readonly mode: Mode };

export interface TillStepProps {
  readonly place: Place;
  /** The store, if this page also asks about it. Undefined if an earlier page asked. */
  readonly known: KnownStore | undefined;
  /** The store's name; undefined if there is no store yet. */
  readonly administration: string | undefined;
  /** The journals of the store. */
  readonly journals: readonly JournalView[];
  /** Undefined if a start setting decides whether other computers may connect. */
  readonly network: NetworkView | undefined;
  readonly firstMode: Mode;
  /** The key that this run has made. */
  readonly created: CreatedKey | undefined;
  /** Called when somebody copies, prints or uses the key in `created`. */
  readonly onTake: () => void;
  readonly onCreated: (created: CreatedKey, where: WhereKey) => void;
  /** `named` is the store's name, if the user saved the store but connected no till. */
  readonly onDone: (named?: string) => void;
}

export function TillStep(props: TillStepProps) {
  const { t } = useTranslation('welcome');
  const { place, journals, created, administration, firstMode, onDone } = props;
  const [wantsMore, setWantsMore] = useState(false);
  const answers = useQueries({ queries: journals.map(({ id }) => tillsQuery(id)) });
  const tills = answers.flatMap(({ data = [] }) => data);
  const error = answers.find((each) => each.error !== null)?.error ?? null;
  if (created !== undefined && !wantsMore)
    return (
      <Question key="made" place={place} title={t('keyTitle', { till: created.till })}>
        <NewKeySecret
          created={created}
          administration={administration ?? t('unnamed')}
          mode={firstMode}
          doneWord={t('continue')}
          isKept
          onTake={props.onTake}
          onDone={() => onDone()}
        />
      </Question>
    );
  if (answers.some(({ isPending }) => isPending)) return <LoadingScreen />;
  const till = findFirstTill(tills);
  if (till !== undefined && !wantsMore)
    return (
      <Question key="known" place={place} title={t('tillKnown', { till: till.label })}>
        <Text>{t('tillKnownMeans')}</Text>
        <Group gap="xs">
          <Button onClick={() => onDone()}>{t('continue')}</Button>
          <Button variant="default" onClick={() => setWantsMore(true)}>
            {t('tillMore')}
          </Button>
          <LinkButton to="/tills" variant="subtle" color="gray">
            {t('toTills')}
          </LinkButton>
        </Group>
      </Question>
    );
  return (
    <TillForm
      {...props}
      error={error}
      taken={tills.map(({ label }) => label)}
      onCreated={(key, where) => {
        setWantsMore(false);
        props.onCreated(key, where);
      }}
    />
  );
}
