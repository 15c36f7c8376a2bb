import { Box } from '@chakra-ui/react';
import { WarningIcon } from '@phosphor-icons/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n';
import { useIsDesktop } from '../lib/useMedia';
import { Document } from './Document';
import type { Pane as EnginePane } from './engine';
import { focusPane } from './focus';
import type { ToolName } from './keys';
import { ArrowText } from './layers/ArrowText';
import type { MarkLayers } from './layers/useLayers';
import { Marks } from './Marks';
import { Message } from './Message';
import { NotForDiagnosis } from './NotForDiagnosis';
import { Pane } from './Pane';
import { Panes } from './Panes';
import { described, nothingShown } from './shown';
import type { Subject } from './subject';
import type { Company } from './useCompany';
import type { Engine, EngineState } from './useEngine';
import type { Layout, Place } from './useLayout';

interface Props extends EngineState {
  subject: Pick<Subject, 'marks' | 'seen'>;
  layout: Layout;
  tool: ToolName;
  layers: MarkLayers;
  /** The pane in use. */
  pane: EnginePane | undefined;
  company: Company;
  previewOf: (imageId: string) => string | undefined;
  /** Receives the pane of the library at a place, and undefined when it is closed. */
  onPane: (place: number, pane: EnginePane | undefined) => void;
  onDownload?: ((imageId: string) => void) | undefined;
  onRefused: () => void;
}

interface StackProps extends Omit<Props, 'engine' | 'failed' | 'layers' | 'pane' | 'onRefused'> {
  engine: Engine;
  place: Place;
  /** The place among the panes, from 0. */
  i: number;
}

/** The pane of a stack or of a plane, with the words in its corners. */
function StackPane({ engine, place, i, subject, layout, tool, company, previewOf, onPane, onDownload }: StackProps) {
  const { t } = useTranslation();
  const desktop = useIsDesktop();
  const { entry, frameIds, plane, at } = place;
  const { facts, label } = entry;
  const nameOfPlane = plane && t(`viewer.plane.${plane}`);
  const right = nameOfPlane
    ? [nameOfPlane]
    : [[entry.modality, facts.bodyPart].filter(Boolean).join(' '), desktop ? label : undefined, subject.seen];
  return (
    <Pane
      engine={engine}
      n={i + 1}
      frameIds={frameIds}
      start={at}
      active={i === layout.active}
      tool={tool}
      oriented={Boolean(facts.orientation ?? facts.perFrame?.[0]?.orientation)}
      preview={previewOf(entry.key)}
      label={nameOfPlane ?? label}
      onPane={(made) => onPane(i, made)}
      onActivate={() => layout.setActive(i)}
      overlay={company.overlay}
      marks={(made) => (
        <Marks
          pane={made}
          facts={plane ? undefined : facts}
          left={subject.marks}
          right={right}
          short={layout.arrangement.places.length > 1}
        />
      )}
      failure={
        <Message
          Icon={WarningIcon}
          title={t('viewer.failed')}
          text={t('viewer.failedText')}
          act={onDownload && { label: t('viewer.download'), onClick: () => onDownload(entry.key) }}
        />
      }
    />
  );
}

/** The pictures, and everything that lies upon them. */
export function Stage(props: Props) {
  const { engine, failed, layout, layers, pane, company, previewOf, onDownload, onRefused } = props;
  const desktop = useIsDesktop();
  const { arrangement } = layout;
  const endText = () => {
    layers.edit(undefined);
    focusPane(pane);
  };
  return (
    <>
      <Panes arrangement={arrangement}>
        {arrangement.places.map((place, i) => {
          const { entry } = place;
          if (entry.kind === 'stack' && engine) {
            return <StackPane key={place.pane} {...props} engine={engine} place={place} i={i} />;
          }
          return (
            <Document
              key={place.key}
              entry={entry}
              waiting={entry.kind === 'stack' && !failed}
              preview={previewOf(entry.key)}
              start={place.at}
              onDownload={onDownload && (() => onDownload(entry.key))}
              onRefused={onRefused}
            />
          );
        })}
      </Panes>
      {layers.editing !== undefined && (
        <ArrowText
          key={layers.editing}
          text={layers.textAt(layers.editing)}
          onDone={(text) => {
            if (layers.editing) layers.setText(layers.editing, text);
            endText();
          }}
          onClose={endText}
        />
      )}
      {company.bar}
      <NotForDiagnosis panes={arrangement.places.length} desktop={desktop} />
    </>
  );
}

/** Says in place of the pictures why there are none any more. */
export function EndedStage({ layout, image, reason }: { layout: Layout; image: string; reason: ReactNode }) {
  return (
    <Panes arrangement={layout.arrangement}>
      <Box
        {...described({ ...nothingShown, state: 'failed', image })}
        display="grid"
        placeItems="center"
        bg="viewer.bg"
        dir={currentLanguage().dir}
      >
        {reason}
      </Box>
    </Panes>
  );
}
