// A setting of a store, with a draft that the user saves.

import type { ComponentProps } from 'react';

import type { AdministrationChangeRequest, AdministrationView } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { SavedForm } from '../components/saved-form.tsx';

export function SavedSetting<Value>({
  administration,
  ...form
}: {
  readonly administration: AdministrationView;
  readonly field: keyof AdministrationChangeRequest;
} & Omit<ComponentProps<typeof SavedForm<Value, AdministrationChangeRequest>>, 'save' | 'field'>) {
  const save = useAct((input: AdministrationChangeRequest) =>
    send('PATCH', `administrations/${encodeURIComponent(administration.name)}`, input),
  );
  return <SavedForm save={save} {...form} />;
}
