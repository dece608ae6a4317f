// Changes the settings of a receiver. Its address cannot be changed, because the gateway never shows it in full.

import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ReceiverChangeRequest, ReceiverView } from '../../server/contract/alerts.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { DialogForm } from '../components/dialog-form.tsx';
import { SETTING_FIELDS, SettingFields, useSettingsForm } from './receiver-fields.tsx';

export function ChangeReceiver({
  receiver,
  onClose,
}: {
  readonly receiver: ReceiverView;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation(['alerts', 'app']);
  const form = useSettingsForm(receiver);
  const save = useAct((change: ReceiverChangeRequest) =>
    send<ReceiverView>('PATCH', `alerts/receivers/${receiver.id}`, change),
  );
  const submit = (): void => {
    const settings = form.read();
    if (settings !== undefined) save.mutate(settings, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title={t('changeTitle')} closeButtonProps={{ 'aria-label': t('app:close') }}>
      <DialogForm
        act={t('app:save')}
        isPending={save.isPending}
        error={save.error}
        fields={SETTING_FIELDS}
        onSubmit={submit}
        onClose={onClose}
      >
        <SettingFields form={form} error={save.error} />
      </DialogForm>
    </Modal>
  );
}
