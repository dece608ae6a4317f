// The question for the first till. It makes one key. If the store already has a key, the page says so and offers to continue.

import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_NAME_LENGTH, type Mode, MODES } from '../../server/contract/codes.ts';
import type { CreatedKey, JournalView, NewKeyRequest, Till } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { tillsQuery } from '../api/queries.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { LoadingScreen } from '../components/screen-fallbacks.tsx';
import { NewKeySecret } from '../tills/new-key-secret.tsx';
import { Answers, type Place, Question } from './question.tsx';

export type WhereKey = { readonly administration: string; readonly mode: Mode };

interface TillStepProps {
  readonly place: Place;
  /** Undefined if the store step was skipped; the key then creates the store. */
  readonly administration: string | undefined;
  /** The journals of the store. */
  readonly journals: readonly JournalView[];
  readonly firstMode: Mode;
  /** The key that this run has made. */
  readonly created: CreatedKey | undefined;
  readonly onCreated: (created: CreatedKey, where: WhereKey) => void;
  readonly onDone: () => void;
}

export function TillStep(props: TillStepProps) {
  const { t } = useTranslation('welcome');
  const { place, journals, created, administration, firstMode, onDone } = props;
  const [wantsMore, setWantsMore] = useState(false);
  const answers = useQueries({ queries: journals.map(({ id }) => tillsQuery(id)) });
  const tills = answers.flatMap(({ data = [] }) => data).filter(hasKey);
  const error = answers.find((each) => each.error !== null)?.error ?? null;
  if (created !== undefined && !wantsMore)
    return (
      <Question key="made" place={place} title={t('keyTitle', { till: created.till })}>
        <NewKeySecret
          created={created}
          administration={administration ?? t('unnamed')}
          mode={firstMode}
          doneWord={t('continue')}
          isWaiting
          onDone={onDone}
        />
      </Question>
    );
  if (answers.some(({ isPending }) => isPending)) return <LoadingScreen />;
  const [till] = tills;
  if (till !== undefined && !wantsMore)
    return (
      <Question key="known" place={place} title={t('tillKnown', { till: till.label })}>
        <Text>{t('tillKnownMeans')}</Text>
        <Group gap="xs">
          <Button onClick={onDone}>{t('continue')}</Button>
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
    <NameTill
      {...props}
      error={error}
      count={tills.length}
      onCreated={(key, where) => {
        setWantsMore(false);
        props.onCreated(key, where);
      }}
    />
  );
}

function hasKey({ keys }: Till): boolean {
  return keys.some(({ revokedAt }) => revokedAt === null);
}

const FIELDS = ['administration', 'till', 'mode'];

function NameTill({
  place,
  administration,
  firstMode,
  count,
  error,
  onCreated,
  onDone,
}: TillStepProps & { readonly count: number; readonly error: Error | null }) {
  const { t } = useTranslation('welcome');
  const [till, setTill] = useState('');
  const [mode, setMode] = useState<Mode>(firstMode);
  const where = { administration: administration ?? t('unnamed'), mode };
  const example = t('tillExample', { n: count + 1 });
  // Kept at once, because this form is replaced as soon as the list of tills has the new key.
  const create = useAct(async (input: NewKeyRequest) =>
    onCreated(await send<CreatedKey>('POST', 'keys', input), where),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (create.isPending) return;
    create.mutate({ ...where, till: till.trim() === '' ? example : till.trim() });
  };
  return (
    <Question place={place} title={t('tillTitle')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>{t('tillMeans')}</Text>
          <TextInput
            label={t('tillName')}
            placeholder={example}
            value={till}
            maxLength={MAX_NAME_LENGTH}
            error={fieldErrorOf(create.error, 'till')}
            onChange={(event) => setTill(event.currentTarget.value)}
          />
          <Radio.Group
            label={t('mode')}
            value={mode}
            onChange={(value) => setMode(value === 'test' ? 'test' : 'production')}
          >
            <Stack gap="md" mt="xs">
              {MODES.toReversed().map((each) => (
                <Radio key={each} value={each} label={t(each)} description={t(`${each}Help`)} />
              ))}
            </Stack>
          </Radio.Group>
          <ErrorAlert error={create.error ?? error} fields={FIELDS} />
          <Answers word={t('makeKey')} isPending={create.isPending} onSkip={onDone} />
        </Stack>
      </form>
    </Question>
  );
}
