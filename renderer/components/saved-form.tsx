// A value that the user changes as a draft and then saves.

import { Button, Group, Stack } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ErrorAlert, fieldErrorOf } from './error-alert.tsx';
import { ManagerButton } from './manager-button.tsx';
import { StateMark } from './state-mark.tsx';

import classes from './saved-form.module.css';

/** The error text of a value, or of a part of it. */
export type ErrorIn = (part?: string) => string | undefined;

export function SavedForm<Value, Input>({
  field,
  value,
  save,
  inputOf,
  edit,
}: {
  /** The name of the value in the API. */
  readonly field: string;
  readonly value: Value;
  readonly save: UseMutationResult<unknown, Error, Input>;
  /** Returns the input to send, or an error text if the draft is invalid. */
  readonly inputOf: (draft: Value) => Input | string;
  readonly edit: (draft: Value, change: (draft: Value) => void, faultIn: ErrorIn) => ReactNode;
}) {
  const { t } = useTranslation(['settings', 'app']);
  const [base, setBase] = useState(value);
  const [draft, setDraft] = useState(value);
  const [fault, setFault] = useState<string>();
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
      <SavedNote isShown={save.isSuccess}>{t('saved')}</SavedNote>
    </form>
  );
}

/** The note below a form that its changes are saved. */
export function SavedNote({ isShown, children }: { readonly isShown: boolean; readonly children: string }) {
  return (
    <div role="status" className={classes.status}>
      {isShown && <StateMark tone="fine">{children}</StateMark>}
    </div>
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
