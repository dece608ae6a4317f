// The question for the first till. It makes one key, and opens the network if the till runs on another computer. If a till already
// has a key, the page says so and offers to continue. The key that the first start printed does not count: perhaps nobody has seen
// it.

import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_NAME_LENGTH, type Mode, MODES } from '../../server/contract/codes.ts';
import type { NetworkView } from '../../server/contract/network.ts';
import {
  type CreatedKey,
  FIRST_START,
  type JournalView,
  type NewKeyRequest,
  type Till,
} from '../../server/contract/setup.ts';
import { useAct, useNetworkChange } from '../api/act.ts';
import { send } from '../api/client.ts';
import { tillsQuery } from '../api/queries.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { NetworkProblemAlert } from '../components/network-problems.tsx';
import { LoadingScreen } from '../components/screen-fallbacks.tsx';
import { findNotListening, type NetworkProblem } from '../model/network-state.ts';
import { freeName } from '../tills/free-name.ts';
import { NewKeySecret } from '../tills/new-key-secret.tsx';
import { Answers, type Place, Question } from './question.tsx';

export type WhereKey = { readonly administration: string; readonly mode: Mode };

interface TillStepProps {
  readonly place: Place;
  /** Undefined if the store step was skipped; the key then creates the store. */
  readonly administration: string | undefined;
  /** The journals of the store. */
  readonly journals: readonly JournalView[];
  /** Undefined if a start setting decides whether it is open. */
  readonly network: NetworkView | undefined;
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
          onDone={onDone}
        />
      </Question>
    );
  if (answers.some(({ isPending }) => isPending)) return <LoadingScreen />;
  const till = tills.find((each) => each.label !== FIRST_START.till && hasKey(each));
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
      taken={tills.map(({ label }) => label)}
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
  network,
  firstMode,
  taken,
  error,
  onCreated,
  onDone,
}: TillStepProps & {
  /** The names of all tills of the store. */
  readonly taken: readonly string[];
  readonly error: Error | null;
}) {
  const { t } = useTranslation(['welcome', 'tills']);
  const [till, setTill] = useState('');
  const [mode, setMode] = useState<Mode>(firstMode);
  /** Asked while the network is closed, because a till on another computer needs it. */
  const isPlaceAsked = network !== undefined && !network.settings.isOpen;
  const [runsOn, setRunsOn] = useState<'other' | 'this' | null>(null);
  const [isMissing, setMissing] = useState(false);
  const [problem, setProblem] = useState<NetworkProblem>();
  const open = useNetworkChange();
  const where = { administration: administration ?? t('unnamed'), mode };
  const example = freeName((n) => t('tills:tillExample', { n }), taken);
  // Kept at once, because this form is replaced as soon as the list of tills has the new key.
  const create = useAct(async (input: NewKeyRequest) =>
    onCreated(await send<CreatedKey>('POST', 'keys', input), where),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (create.isPending || open.isPending) return;
    if (isPlaceAsked && runsOn === null) return setMissing(true);
    const makeKey = (): void => create.mutate({ ...where, till: till.trim() === '' ? example : till.trim() });
    if (!isPlaceAsked || runsOn !== 'other') return makeKey();
    open.mutate(
      { isOpen: true },
      {
        onSuccess(view) {
          const found = findNotListening(view);
          setProblem(found);
          if (found === undefined) makeKey();
        },
      },
    );
  };
  return (
    <Question place={place} title={t('tillTitle')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>{t('tillMeans')}</Text>
          {taken.includes(FIRST_START.till) && <Text c="dimmed">{t('tillPrinted')}</Text>}
          <TextInput
            label={t('tillName')}
            placeholder={example}
            value={till}
            maxLength={MAX_NAME_LENGTH}
            error={fieldErrorOf(create.error, 'till')}
            onChange={(event) => setTill(event.currentTarget.value)}
          />
          {(isPlaceAsked || runsOn !== null) && (
            <Radio.Group
              label={t('runsOn')}
              value={runsOn}
              error={isMissing ? t('runsOnMissing') : undefined}
              onChange={(value) => {
                setRunsOn(value === 'other' ? 'other' : 'this');
                setMissing(false);
              }}
            >
              <Stack gap="md" mt="xs">
                <Radio value="other" label={t('runsOnOther')} description={t('runsOnOtherHelp')} />
                <Radio value="this" label={t('runsOnThis')} />
              </Stack>
            </Radio.Group>
          )}
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
          <ErrorAlert error={create.error ?? open.error ?? error} fields={FIELDS} />
          {problem !== undefined && <NetworkProblemAlert problems={[problem]} />}
          <Answers word={t('makeKey')} isPending={create.isPending || open.isPending} onSkip={onDone} />
        </Stack>
      </form>
    </Question>
  );
}
