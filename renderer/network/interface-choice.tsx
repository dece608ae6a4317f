// Chooses the network connections to listen on: all of them, or some. The connections of containers and virtual machines are
// collapsed.

import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { NetworkChangeRequest, NetworkInterface, NetworkView } from '../../server/contract/network.ts';
import { useNetworkChange } from '../api/act.ts';
import { SavedForm } from '../components/saved-form.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { fixedBySetting } from '../model/network-state.ts';
import { useIsManager } from '../model/selected-journal.ts';

type Choice = readonly string[] | null;

export function InterfaceChoice({ view }: { readonly view: NetworkView }) {
  const { t } = useTranslation('network');
  const isManager = useIsManager();
  const [areVirtualShown, setVirtualShown] = useState(false);
  const save = useNetworkChange();
  const { interfaces: value } = view.settings;
  const fixed = fixedBySetting(view, 'interfaces');
  const isLocked = !isManager || fixed !== undefined;
  const present = new Set(view.interfaces.map(({ name }) => name));
  const absent = (value ?? []).filter((name) => !present.has(name));
  const isFolded = ({ name, isVirtual }: NetworkInterface): boolean => isVirtual && !(value?.includes(name) ?? false);
  const folded = view.interfaces.filter(isFolded);
  const shown = areVirtualShown ? view.interfaces : view.interfaces.filter((each) => !isFolded(each));
  const all = view.interfaces.filter(({ isUsed }) => isUsed).map(({ name }) => name);

  return (
    <SavedForm<Choice, NetworkChangeRequest>
      field="interfaces"
      value={value?.toSorted() ?? null}
      save={save}
      inputOf={(draft) => (draft?.length === 0 ? t('chooseOne') : { interfaces: draft })}
      edit={(draft, change, faultIn) => {
        const toggle = (name: string): void => {
          const rest = draft?.filter((each) => each !== name) ?? [];
          change(draft?.includes(name) === true ? rest : [...rest, name].toSorted());
        };
        return (
          <>
            <Checkbox
              label={t('allInterfaces')}
              description={t('allInterfacesMeans')}
              checked={draft === null}
              disabled={isLocked}
              onChange={() => change(draft === null ? all.toSorted() : null)}
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
            {fixed !== undefined && (
              <Text size="xs" c="dimmed">
                {t('fixedHere', { setting: fixed })}
              </Text>
            )}
            {faultIn() !== undefined && (
              <Text size="sm" c="var(--mantine-color-error)" role="alert">
                {faultIn()}
              </Text>
            )}
          </>
        );
      }}
    />
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
