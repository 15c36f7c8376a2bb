import { Button, Menu, Portal } from '@chakra-ui/react';
import { type AuditFormat, auditFormats } from '@lightbox/contract/audit/calls.js';
import { CaretDownIcon, DownloadSimpleIcon, FileCodeIcon, FileCsvIcon } from '@phosphor-icons/react';
import { useTranslation } from 'react-i18next';
import { type AuditExport, useExportAudit } from './audit';

const icons = { csv: FileCsvIcon, fhir: FileCodeIcon } satisfies Record<AuditFormat, unknown>;

/** Exports all entries that match the filters as a file, for a spreadsheet or for another system. */
export function ExportMenu({ wanted }: { wanted: AuditExport }) {
  const { t } = useTranslation();
  const exporting = useExportAudit(t('common.exportFailed'));
  return (
    <Menu.Root
      lazyMount
      positioning={{ placement: 'bottom-end' }}
      onSelect={({ value }) => exporting.mutate({ ...wanted, format: value as AuditFormat })}
    >
      <Menu.Trigger asChild>
        <Button variant="outline" loading={exporting.isPending} loadingText={t('common.exporting')}>
          <DownloadSimpleIcon aria-hidden />
          {t('audit.export.act')}
          <CaretDownIcon aria-hidden />
        </Button>
      </Menu.Trigger>
      <Portal>
        <Menu.Positioner>
          <Menu.Content>
            {auditFormats.map((format) => {
              const Mark = icons[format];
              return (
                <Menu.Item key={format} value={format}>
                  <Mark size={20} aria-hidden />
                  {t(`audit.export.${format}`)}
                </Menu.Item>
              );
            })}
          </Menu.Content>
        </Menu.Positioner>
      </Portal>
    </Menu.Root>
  );
}
