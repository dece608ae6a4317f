// One setting: its name, what it changes and for whom, and its value beside it.

import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { AdministrationChangeRequest, AdministrationView } from '../../server/contract.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { Fault, faultOf } from '../parts/fault.tsx';
import { ManagerButton } from '../parts/manager-button.tsx';

import classes from './setting.module.css';

export interface Setting {
  readonly id: string;
  readonly title: string;
  /** What it changes, and for whom. */
  readonly help: string;
  /** What else it is looked for by. */
  readonly alsoCalled?: string;
  readonly control: ReactNode;
}

export function SettingRow({ setting: { id, title, help, control } }: { readonly setting: Setting }) {
  return (
    <div className={classes.row} role="group" aria-labelledby={`setting-${id}`}>
      <div className={classes.about}>
        <Text fw={600} id={`setting-${id}`}>
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          {help}
        </Text>
      </div>
      <div className={classes.control}>{control}</div>
    </div>
  );
}

/**
 * A value of an administration that is changed here and then saved. `field` is its name in the API; `edit` shows the draft. It
 * begins anew when the value has become another one, so give it the value as its key.
 */
export function Saved<Value>({
  administration,
  field,
  value,
  inputOf,
  edit,
}: {
  readonly administration: AdministrationView;
  readonly field: keyof AdministrationChangeRequest;
  readonly value: Value;
  /** What is sent; a text says what is wrong with the draft. */
  readonly inputOf: (draft: Value) => AdministrationChangeRequest | string;
  readonly edit: (draft: Value, change: (draft: Value) => void, fault: string | undefined) => ReactNode;
}) {
  const { t } = useTranslation(['settings', 'app']);
  const [draft, setDraft] = useState(value);
  const [fault, setFault] = useState<string>();
  const save = useAct(
    (input: AdministrationChangeRequest) =>
      send('PATCH', `administrations/${encodeURIComponent(administration.name)}`, input),
    ['settings'],
  );
  const isChanged = JSON.stringify(draft) !== JSON.stringify(value);
  const change = (next: Value): void => {
    setDraft(next);
    setFault(undefined);
    save.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const input = inputOf(draft);
    if (typeof input === 'string') setFault(input);
    else save.mutate(input);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        {edit(draft, change, fault ?? faultOf(save.error, field))}
        <Fault error={save.error} fields={[field]} />
        {isChanged && (
          <Group gap="xs">
            <ManagerButton type="submit" loading={save.isPending}>
              {t('app:save')}
            </ManagerButton>
            <Button variant="subtle" color="gray" onClick={() => change(value)}>
              {t('undo')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
