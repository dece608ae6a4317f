// Creates a key for a till, or adopts the till's existing one. If there is no store yet, it creates the store too.

import { Button, Collapse, Modal, PasswordInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { KEY_INTERFACES, type KeyInterface, type Mode, MODES, MAX_NAME_LENGTH } from '../../server/contract/codes.ts';
import type { CreatedKey, NewKeyRequest } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { DialogForm } from '../components/dialog-form.tsx';
import { fieldErrorOf } from '../components/error-alert.tsx';
import { freeName } from './free-name.ts';
import { adoptError, interfaceOf } from './key-state.ts';
import { NewKeySecret } from './new-key-secret.tsx';

const FIELDS = ['administration', 'mode', 'till', 'interface', 'adopt'];

export interface MadeIn {
  readonly administration: string;
  readonly mode: Mode;
}

/** The values that are already known; the form asks for the other values. */
export interface NewKeyFor {
  readonly administration?: string;
  readonly mode?: Mode;
  readonly till?: string;
  /** The names of the tills that the store has in this mode. */
  readonly taken?: readonly string[];
  readonly isAdopting: boolean;
}

export function NewKey({
  wanted,
  onClose,
}: {
  readonly wanted: NewKeyFor;
  /** `made` says where the key was created; undefined if no key was created. */
  readonly onClose: (made: MadeIn | undefined) => void;
}) {
  const { t } = useTranslation(['tills', 'app']);
  const [administration, setAdministration] = useState(wanted.administration ?? '');
  const [mode, setMode] = useState<Mode>(wanted.mode ?? 'test');
  const [till, setTill] = useState(wanted.till ?? '');
  const [chosenInterface, setChosenInterface] = useState<KeyInterface>();
  const [adopt, setAdopt] = useState('');
  const [isMoreShown, setMoreShown] = useState(false);
  const [missing, setMissing] = useState<Partial<Record<'administration' | 'adopt', string>>>({});
  const create = useAct((input: NewKeyRequest) => send<CreatedKey>('POST', 'keys', input));
  const { data: created, error } = create;
  const secret = wanted.isAdopting ? adopt.trim() : '';
  const keyInterface = secret === '' ? (chosenInterface ?? 'both') : interfaceOf(secret, chosenInterface);
  const example = freeName((n) => t('tillExample', { n }), wanted.taken ?? []);

  const changed = (): void => {
    setMissing({});
    create.reset();
  };
  const submit = (): void => {
    const fault = wanted.isAdopting ? adoptError(secret, mode, chosenInterface) : undefined;
    const lacking = {
      ...(administration.trim() === '' && { administration: t('storeMissing') }),
      ...(fault !== undefined && { adopt: t(fault, { mode: t(mode) }) }),
    };
    setMissing(lacking);
    if (Object.keys(lacking).length > 0) return;
    create.mutate({
      administration: administration.trim(),
      mode,
      till: till.trim() === '' ? example : till.trim(),
      interface: keyInterface,
      ...(wanted.isAdopting && { adopt: secret }),
    });
  };
  const close = (): void =>
    onClose(created === undefined ? undefined : { administration: administration.trim(), mode });

  if (created !== undefined)
    return (
      <Modal
        opened
        onClose={close}
        title={t('keyOf', { till: created.till })}
        size="xl"
        withCloseButton={false}
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <NewKeySecret created={created} administration={administration.trim()} mode={mode} onDone={close} />
      </Modal>
    );
  return (
    <Modal
      opened
      onClose={close}
      title={t(wanted.isAdopting ? 'adoptTitle' : 'createTitle')}
      closeButtonProps={{ 'aria-label': t('app:close') }}
    >
      <DialogForm
        act={t(wanted.isAdopting ? 'adopt' : 'create')}
        isPending={create.isPending}
        error={error}
        fields={FIELDS}
        onSubmit={submit}
        onClose={close}
      >
        {wanted.administration === undefined ? (
          <TextInput
            label={t('store')}
            description={t('storeHelp')}
            value={administration}
            maxLength={MAX_NAME_LENGTH}
            error={missing.administration ?? fieldErrorOf(error, 'administration')}
            onChange={(event) => {
              setAdministration(event.currentTarget.value);
              changed();
            }}
            data-autofocus
          />
        ) : (
          <Text>{t('keyFor', { store: wanted.administration, mode: t(mode) })}</Text>
        )}
        {wanted.mode === undefined && (
          <Radio.Group
            label={t('mode')}
            value={mode}
            onChange={(value) => setMode(value === 'test' ? 'test' : 'production')}
          >
            <Stack gap="md" mt="xs">
              {MODES.map((each) => (
                <Radio key={each} value={each} label={t(each)} description={t(`${each}Help`)} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <TextInput
          label={t('tillName')}
          description={t('tillHelp')}
          placeholder={example}
          value={till}
          maxLength={MAX_NAME_LENGTH}
          readOnly={wanted.till !== undefined}
          error={fieldErrorOf(error, 'till')}
          onChange={(event) => {
            setTill(event.currentTarget.value);
            changed();
          }}
          {...(wanted.administration !== undefined && { 'data-autofocus': true })}
        />
        {wanted.isAdopting && (
          <PasswordInput
            label={t('adoptKey')}
            description={t('adoptHelp')}
            autoComplete="off"
            value={adopt}
            error={missing.adopt ?? fieldErrorOf(error, 'adopt')}
            visibilityToggleButtonProps={{ 'aria-label': t('keyShow') }}
            onChange={(event) => {
              setAdopt(event.currentTarget.value);
              changed();
            }}
          />
        )}
        <div>
          <Button variant="subtle" px={0} aria-expanded={isMoreShown} onClick={() => setMoreShown(!isMoreShown)}>
            {t(isMoreShown ? 'less' : 'more')}
          </Button>
          <Collapse expanded={isMoreShown}>
            <Radio.Group
              label={t('interface')}
              description={t('interfaceHelp')}
              value={keyInterface}
              error={fieldErrorOf(error, 'interface')}
              onChange={(value) => setChosenInterface(KEY_INTERFACES.find((each) => each === value))}
            >
              <Stack gap="md" mt="xs">
                {KEY_INTERFACES.toReversed().map((each) => (
                  <Radio key={each} value={each} label={t(each)} />
                ))}
              </Stack>
            </Radio.Group>
          </Collapse>
        </div>
      </DialogForm>
    </Modal>
  );
}
