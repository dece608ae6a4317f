// The form that connects a till. It makes one key, and opens the network if the till runs on another computer. For a new store,
// it also sets up the store, so that one page is enough.

import { Radio, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_NAME_LENGTH, type Mode, MODES } from '../../server/contract/codes.ts';
import { type CreatedKey, FIRST_START, type NewKeyRequest } from '../../server/contract/setup.ts';
import { useAct, useNetworkChange } from '../api/act.ts';
import { send } from '../api/client.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { NetworkProblemAlert } from '../components/network-problems.tsx';
import { findNotListening, type NetworkProblem } from '../model/network-state.ts';
import { freeName } from '../tills/free-name.ts';
import { Answers, Question } from './question.tsx';
import { STORE_FIELDS, StoreFields, useStoreForm } from './store-form.tsx';
import type { TillStepProps } from './till-step.tsx';

const FIELDS = [...STORE_FIELDS, 'administration', 'till', 'mode'];

export function TillForm({
  place,
  known,
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
  const store = useStoreForm(known ?? { existing: undefined, isZoneChosen: false });
  const [till, setTill] = useState('');
  const [mode, setMode] = useState<Mode>(firstMode);
  /**
   * Whether to ask on which computer the till runs. If the network is closed, it must be opened for a till on another computer.
   */
  const isPlaceAsked = network !== undefined && !network.settings.isOpen;
  const [runsOn, setRunsOn] = useState<'other' | 'this' | null>(null);
  const [isPlaceMissing, setPlaceMissing] = useState(false);
  const [problem, setProblem] = useState<NetworkProblem>();
  const example = freeName((n) => t('tills:tillExample', { n }), taken);
  const saveStore = (): Promise<string> =>
    known === undefined ? Promise.resolve(administration ?? t('unnamed')) : store.save();

  const open = useNetworkChange();
  const connect = useAct(async () => {
    const where = { administration: await saveStore(), mode };
    if (isPlaceAsked && runsOn === 'other') {
      // Wait for the new network state, because the till's card shows its address and certificate authority.
      const found = findNotListening(await open.mutateAsync({ isOpen: true }));
      setProblem(found);
      if (found !== undefined) return;
    }
    const wanted: NewKeyRequest = { ...where, till: till.trim() === '' ? example : till.trim() };
    // Report the key immediately. The list of tills will contain the key soon, and then another component replaces this form.
    onCreated(await send<CreatedKey>('POST', 'keys', wanted), where);
  });
  const skip = useAct(saveStore);
  const isPending = connect.isPending || skip.isPending;
  const failure = connect.error ?? skip.error;

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const isStoreComplete = known === undefined || store.check();
    const isPlaceComplete = !isPlaceAsked || runsOn !== null;
    setPlaceMissing(!isPlaceComplete);
    if (isStoreComplete && isPlaceComplete && !isPending) connect.mutate(undefined);
  };
  const withoutTill = (): void => {
    if (known === undefined || store.draft.name.trim() === '') onDone();
    else if (!isPending) skip.mutate(undefined, { onSuccess: (named) => onDone(named) });
  };

  const aboutTill = (
    <>
      <TextInput
        label={t('tillName')}
        description={`${t('tillMeans')}${taken.includes(FIRST_START.till) ? ` ${t('tillPrinted')}` : ''}`}
        placeholder={example}
        value={till}
        maxLength={MAX_NAME_LENGTH}
        error={fieldErrorOf(failure, 'till')}
        onChange={(event) => setTill(event.currentTarget.value)}
      />
      {(isPlaceAsked || runsOn !== null) && (
        <Radio.Group
          label={t('runsOn')}
          value={runsOn}
          error={isPlaceMissing ? t('runsOnMissing') : undefined}
          onChange={(value) => {
            setRunsOn(value === 'other' ? 'other' : 'this');
            setPlaceMissing(false);
          }}
        >
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mt="xs">
            <Radio value="other" label={t('runsOnOther')} description={t('runsOnOtherHelp')} />
            <Radio value="this" label={t('runsOnThis')} />
          </SimpleGrid>
        </Radio.Group>
      )}
      <Radio.Group
        label={t('mode')}
        value={mode}
        onChange={(value) => setMode(value === 'test' ? 'test' : 'production')}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mt="xs">
          {MODES.toReversed().map((each) => (
            <Radio key={each} value={each} label={t(each)} description={t(`${each}Help`)} />
          ))}
        </SimpleGrid>
      </Radio.Group>
    </>
  );
  return (
    <Question place={place} title={t(known === undefined ? 'tillTitle' : 'firstTitle')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="lg">
          {known === undefined ? (
            aboutTill
          ) : (
            <>
              <Part title={t('storePart')}>
                <StoreFields form={store} error={failure} />
              </Part>
              <Part title={t('tillPart')}>{aboutTill}</Part>
            </>
          )}
          <ErrorAlert error={failure ?? error} fields={FIELDS} />
          {problem !== undefined && <NetworkProblemAlert problems={[problem]} />}
          <Answers
            word={t('makeKey')}
            isPending={isPending}
            onSkip={withoutTill}
            {...(known !== undefined && { skipWord: t('withoutTill') })}
          />
        </Stack>
      </form>
    </Question>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const titleId = useId();
  return (
    <Stack gap="sm" role="group" aria-labelledby={titleId}>
      <Title order={3} size="h4" id={titleId}>
        {title}
      </Title>
      {children}
    </Stack>
  );
}
