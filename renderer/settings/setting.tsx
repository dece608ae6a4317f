// A setting of a store, with a draft that the user saves.

import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { AdministrationChangeRequest, AdministrationView } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import { StateMark } from '../components/state-mark.tsx';

import classes from './setting.module.css';

export type { Setting } from '../components/setting-row.tsx';

/** The error text of a value, or of a part of it. */
export type ErrorIn = (part?: string) => string | undefined;

/** A setting of an administration with a draft that the user saves. `edit` renders the draft. */
export function SavedSetting<Value>({
  administration,
  field,
  value,
  inputOf,
  edit,
}: {
  readonly administration: AdministrationView;
  /** The name of the setting in the API. */
  readonly field: keyof AdministrationChangeRequest;
  readonly value: Value;
  /** The value to send, or a text with the error in the draft. */
  readonly inputOf: (draft: Value) => AdministrationChangeRequest | string;
  readonly edit: (draft: Value, change: (draft: Value) => void, faultIn: ErrorIn) => ReactNode;
}) {
  const { t } = useTranslation(['settings', 'app']);
  const [base, setBase] = useState(value);
  const [draft, setDraft] = useState(value);
  const [fault, setFault] = useState<string>();
  const save = useAct((input: AdministrationChangeRequest) =>
    send('PATCH', `administrations/${encodeURIComponent(administration.name)}`, input),
  );
  if (!isSame(base, value)) {
    setBase(value);
    setDraft(value);
  }
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
  const faultIn: ErrorIn = (part) =>
    part === undefined ? (fault ?? fieldErrorOf(save.error, field)) : fieldErrorOf(save.error, `${field}/${part}`);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        {edit(draft, change, faultIn)}
        <ErrorAlert error={save.error} fields={[field]} />
        {!isSame(draft, value) && (
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
      <div role="status" className={classes.status}>
        {save.isSuccess && <StateMark tone="fine">{t('saved')}</StateMark>}
      </div>
    </form>
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
