// The list of keyboard shortcuts.

import { Kbd, Modal, Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { SCREENS } from '../model/screens.ts';

const IN_LISTS = [
  [['/'], 'search'],
  [['j', 'k'], 'nextInList'],
  [['Enter'], 'openInList'],
  [['Esc'], 'leaveList'],
] as const;

export default function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(['app', 'palette']);
  return (
    <Modal opened onClose={onClose} title={t('keys')} closeButtonProps={{ 'aria-label': t('close') }}>
      <Table>
        <Table.Tbody>
          {SCREENS.map(({ letter, name }) => (
            <Table.Tr key={letter}>
              <Table.Td>
                <Kbd>g</Kbd> <Kbd>{letter}</Kbd>
              </Table.Td>
              <Table.Td>{t(name)}</Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Td>
              <Kbd>Ctrl</Kbd> <Kbd>k</Kbd>
            </Table.Td>
            <Table.Td>{t('palette:title')}</Table.Td>
          </Table.Tr>
          {IN_LISTS.map(([names, what]) => (
            <Table.Tr key={what}>
              <Table.Td>
                {names.map((name) => (
                  <Kbd key={name} mr={4}>
                    {name}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{t(what)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
