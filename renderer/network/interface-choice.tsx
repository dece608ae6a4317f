// Chooses the network connections to listen on: all of them, or some. Those of containers and virtual machines are folded away.

import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { NetworkInterface, NetworkView } from '../../server/contract/network.ts';
import { useNetworkChange } from '../api/act.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { fixedBySetting } from '../model/network-state.ts';
import { useIsManager } from '../model/selected-journal.ts';

type Choice = readonly string[] | null;

export function InterfaceChoice({ view }: { readonly view: NetworkView }) {
  const { t } = useTranslation(['network', 'settings', 'app']);
  const isManager = useIsManager();
  const { interfaces: value } = view.settings;
  const [base, setBase] = useState<Choice>(value);
  const [draft, setDraft] = useState<Choice>(value);
  const [areVirtualShown, setVirtualShown] = useState(false);
  const change = useNetworkChange();
  if (!isSame(base, value)) {
    setBase(value);
    setDraft(value);
  }
  const fixed = fixedBySetting(view, 'interfaces');
  const isLocked = !isManager || fixed !== undefined;
  const present = new Set(view.interfaces.map(({ name }) => name));
  const absent = (value ?? []).filter((name) => !present.has(name));
  const isFolded = ({ name, isVirtual }: NetworkInterface): boolean => isVirtual && !(value?.includes(name) ?? false);
  const folded = view.interfaces.filter(isFolded);
  const shown = areVirtualShown ? view.interfaces : view.interfaces.filter((each) => !isFolded(each));

  const choose = (next: Choice): void => {
    setDraft(next);
    change.reset();
  };
  const toggle = (name: string): void =>
    choose(draft?.includes(name) === true ? draft.filter((each) => each !== name) : [...(draft ?? []), name]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate({ interfaces: draft });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <Checkbox
          label={t('allInterfaces')}
          description={t('allInterfacesMeans')}
          checked={draft === null}
          disabled={isLocked}
          onChange={() => choose(draft === null ? view.interfaces.filter((each) => each.isUsed).map(nameOf) : null)}
        />
        {shown.map((each) => (
          <Checkbox
            key={each.name}
            label={<InterfaceLabel {...each} />}
            description={each.addresses.join(', ')}
            checked={draft?.includes(each.name) ?? (each.isUsed || !each.isVirtual)}
            disabled={isLocked || draft === null}
            onChange={() => toggle(each.name)}
          />
        ))}
        {absent.map((name) => (
          <Checkbox
            key={name}
            label={name}
            description={t('interfaceAbsent')}
            checked={draft?.includes(name) ?? true}
            disabled={isLocked || draft === null}
            onChange={() => toggle(name)}
          />
        ))}
        {folded.length > 0 && (
          <Button
            variant="subtle"
            size="compact-sm"
            h="auto"
            px={0}
            style={{ alignSelf: 'flex-start' }}
            styles={{ label: { whiteSpace: 'normal', textAlign: 'start' } }}
            aria-expanded={areVirtualShown}
            onClick={() => setVirtualShown(!areVirtualShown)}
          >
            {areVirtualShown ? t('hideVirtual') : t('showVirtual', { count: folded.length, n: folded.length })}
          </Button>
        )}
        {view.interfaces.length === 0 && <Text size="sm">{t('noInterfaces')}</Text>}
        {fixed !== undefined && isManager && (
          <Text size="xs" c="dimmed">
            {t('fixedHere', { setting: fixed })}
          </Text>
        )}
        {draft !== null && draft.length === 0 && <Text size="sm">{t('chooseOne')}</Text>}
        {change.error !== null && fieldErrorOf(change.error, 'interfaces') !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {fieldErrorOf(change.error, 'interfaces')}
          </Text>
        )}
        <ErrorAlert error={change.error} fields={['interfaces']} />
        {!isSame(draft, value) && (
          <Group gap="xs">
            <ManagerButton type="submit" loading={change.isPending} disabled={draft?.length === 0}>
              {t('app:save')}
            </ManagerButton>
            <Button variant="subtle" color="gray" onClick={() => choose(value)}>
              {t('settings:undo')}
            </Button>
          </Group>
        )}
      </Stack>
      <div role="status">{change.isSuccess && <StateMark tone="fine">{t('settings:saved')}</StateMark>}</div>
    </form>
  );
}

function InterfaceLabel({ name, isVirtual, isUsed }: NetworkInterface) {
  const { t } = useTranslation('network');
  return (
    <Group gap="xs" component="span">
      <span>{name}</span>
      {isUsed && (
        <StateMark tone="fine" isPlain>
          {t('inUse')}
        </StateMark>
      )}
      {isVirtual && (
        <Text span size="sm" c="dimmed">
          {t('virtual')}
        </Text>
      )}
    </Group>
  );
}

const nameOf = ({ name }: NetworkInterface): string => name;

function isSame(one: Choice, other: Choice): boolean {
  return JSON.stringify(one?.toSorted()) === JSON.stringify(other?.toSorted());
}
