// The first run in three optional steps: store and time zone, key of a till, upstream. Its last page waits for the first
// record.

import { Button, Group, Radio, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { MAX_NAME_LENGTH, type Mode, MODES } from '../../server/contract/codes.ts';
import type {
  AdministrationChangeRequest,
  AdministrationView,
  CreatedKey,
  JournalView,
  NewAdministrationRequest,
  NewKeyRequest,
} from '../../server/contract/setup.ts';
import { machineZone } from '../../server/lib/calendar.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { journalsQuery, lanesQuery } from '../api/queries.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import { TimeZoneSelect } from '../components/time-zone-select.tsx';
import { noteFirstRunOffered } from '../model/first-run-offer.ts';
import { useSelectedJournal } from '../model/selected-journal.ts';
import { NewKeySecret } from '../tills/new-key-secret.tsx';
import { UpstreamForm } from '../upstream/upstream-form.tsx';
import { FirstRecord } from './first-record.tsx';

const STEPS = ['store', 'till', 'upstream', 'record'] as const;
type Step = (typeof STEPS)[number];
const STEP_COUNT = 3;

export function WelcomeScreen() {
  const { another = false } = useSearch({ from: '/welcome' });
  const { data: journals } = useSuspenseQuery(journalsQuery);
  const found = useSelectedJournal();
  /** The selected journal as it was at the start. */
  const [existing] = useState(another ? undefined : found);
  const [step, setStep] = useState<Step>('store');
  const [administration, setAdministration] = useState(existing?.administration);
  const [mode, setMode] = useState<Mode>(existing?.mode ?? 'production');
  const [created, setCreated] = useState<CreatedKey>();
  const journal = journals.find((each) => each.administration === administration && each.mode === mode);
  const navigate = useNavigate();
  useEffect(noteFirstRunOffered, []);
  // After a key is created, the page shows its mode, so test mode stays unmistakable.
  const made = created === undefined ? undefined : journal?.id;
  useEffect(() => {
    if (made !== undefined) void navigate({ to: '.', search: { journal: made }, replace: true });
  }, [made, navigate]);
  const next = (): void => setStep(STEPS[STEPS.indexOf(step) + 1] ?? 'record');

  return (
    <Stack gap="xl" maw={640}>
      {step === 'store' && (
        <NameStore
          existing={existing}
          onSkip={next}
          onDone={(name) => {
            setAdministration(name);
            next();
          }}
        />
      )}
      {step === 'till' && (
        <FirstKey
          administration={administration}
          firstMode={existing?.mode ?? 'test'}
          created={created}
          onCreated={(key, where) => {
            setCreated(key);
            setAdministration(where.administration);
            setMode(where.mode);
          }}
          onDone={next}
        />
      )}
      {step === 'upstream' && <SetUpstream journal={journal} onBack={() => setStep('till')} onDone={next} />}
      {step === 'record' && <FirstRecord journalId={journal?.id} created={created} />}
    </Stack>
  );
}

/** The heading of a step. It takes the focus, so that keyboard and screen reader users start there. */
function Question({
  step,
  title,
  children,
}: {
  readonly step: Step;
  readonly title: string;
  readonly children: ReactNode;
}) {
  const { t } = useTranslation('welcome');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Stack gap="md">
      <div>
        <Text size="sm" c="dimmed" fw={600}>
          {t('step', { n: STEPS.indexOf(step) + 1, of: STEP_COUNT })}
        </Text>
        <Title order={2} size={28} fw={600} lh={1.25} ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
          {title}
        </Title>
      </div>
      {children}
    </Stack>
  );
}

function NameStore({
  existing,
  onDone,
  onSkip,
}: {
  /** The store, if it exists already. Its name may be the default name, which the user can change here. */
  readonly existing: JournalView | undefined;
  readonly onDone: (administration: string) => void;
  readonly onSkip: () => void;
}) {
  const { t } = useTranslation('welcome');
  const [name, setName] = useState(existing?.administration ?? '');
  const [timeZone, setTimeZone] = useState(existing?.timeZone ?? machineZone());
  const [isMissing, setMissing] = useState(false);
  const save = useAct(() =>
    existing === undefined
      ? send<AdministrationView>('POST', 'administrations', {
          name: name.trim(),
          timeZone,
        } satisfies NewAdministrationRequest)
      : send<AdministrationView>('PATCH', `administrations/${encodeURIComponent(existing.administration)}`, {
          name: name.trim(),
          timeZone,
        } satisfies AdministrationChangeRequest),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === '') setMissing(true);
    else if (timeZone === existing?.timeZone && name.trim() === existing.administration)
      onDone(existing.administration);
    else save.mutate(undefined, { onSuccess: (saved) => onDone(saved.name) });
  };
  return (
    <Question step="store" title={t('storeTitle')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={t('storeName')}
            description={t('storeNameHelp')}
            placeholder={t('storeExample')}
            value={name}
            maxLength={MAX_NAME_LENGTH}
            error={isMissing ? t('storeMissing') : fieldErrorOf(save.error, 'name')}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setMissing(false);
              save.reset();
            }}
          />
          <TimeZoneSelect
            value={timeZone}
            onChange={setTimeZone}
            label={t('timeZone')}
            error={fieldErrorOf(save.error, 'timeZone')}
          />
          <Text size="sm" c="dimmed">
            {t('timeZoneHelp')}
          </Text>
          <ErrorAlert error={save.error} fields={['name', 'timeZone']} />
          <Group gap="xs">
            <ManagerButton type="submit" loading={save.isPending}>
              {t('continue')}
            </ManagerButton>
            <Button variant="subtle" color="gray" onClick={onSkip}>
              {t('skip')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Question>
  );
}

const FIELDS = ['administration', 'till', 'mode'];

function FirstKey({
  administration,
  firstMode,
  created,
  onCreated,
  onDone,
}: {
  /** Undefined if the store step was skipped; the key then creates the store. */
  readonly administration: string | undefined;
  readonly firstMode: Mode;
  readonly created: CreatedKey | undefined;
  readonly onCreated: (created: CreatedKey, where: { readonly administration: string; readonly mode: Mode }) => void;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation('welcome');
  const [till, setTill] = useState('');
  const [mode, setMode] = useState<Mode>(firstMode);
  const where = { administration: administration ?? t('unnamed'), mode };
  const create = useAct((input: NewKeyRequest) => send<CreatedKey>('POST', 'keys', input));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const input = { ...where, till: till.trim() === '' ? t('tillExample') : till.trim() };
    create.mutate(input, { onSuccess: (key) => onCreated(key, where) });
  };
  if (created !== undefined)
    return (
      <Question key="made" step="till" title={t('keyTitle', { till: created.till })}>
        <NewKeySecret
          created={created}
          administration={where.administration}
          mode={mode}
          doneWord={t('continue')}
          onDone={onDone}
        />
      </Question>
    );
  return (
    <Question step="till" title={t('tillTitle')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>{t('tillMeans')}</Text>
          <TextInput
            label={t('tillName')}
            placeholder={t('tillExample')}
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
          <ErrorAlert error={create.error} fields={FIELDS} />
          <Group gap="xs">
            <ManagerButton type="submit" loading={create.isPending}>
              {t('makeKey')}
            </ManagerButton>
            <Button variant="subtle" color="gray" onClick={onDone}>
              {t('skip')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Question>
  );
}

function SetUpstream({
  journal,
  onBack,
  onDone,
}: {
  readonly journal: JournalView | undefined;
  readonly onBack: () => void;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation('welcome');
  const { data: lanes, error } = useQuery({ ...lanesQuery(journal?.id ?? 0), enabled: journal !== undefined });
  const lane = lanes?.find((each) => each.interface === 'current');
  if (journal === undefined)
    return (
      <Question step="upstream" title={t('upstreamTitle')}>
        <Text>{t('upstreamNeedsStore')}</Text>
        <Group gap="xs">
          <Button onClick={onBack}>{t('backToKey')}</Button>
          <LinkButton to="/" variant="subtle" color="gray">
            {t('finish')}
          </LinkButton>
        </Group>
      </Question>
    );
  return (
    <Question step="upstream" title={t('upstreamTitle')}>
      <Text>{t('upstreamMeans')}</Text>
      <Text c="dimmed">{t('upstreamFor', { store: journal.administration, mode: t(`in_${journal.mode}`) })}</Text>
      <ErrorAlert error={error} />
      {lane !== undefined && <UpstreamForm key={lane.id} lane={lane} onSaved={onDone} />}
      <Button variant="subtle" color="gray" onClick={onDone} style={{ alignSelf: 'flex-start' }}>
        {t('later')}
      </Button>
    </Question>
  );
}
