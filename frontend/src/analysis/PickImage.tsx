import { Box, Button, Grid, Heading, LinkBox, LinkOverlay } from '@chakra-ui/react';
import { type Permission, roleMay } from '@lightbox/contract/permissions.js';
import { ImagesIcon, SparkleIcon } from '@phosphor-icons/react';
import { useQueries } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link as RouterLink } from 'react-router-dom';
import { useViewer } from '../auth/session';
import { actionsOf } from '../images/access';
import { CardWell } from '../images/ImageCard';
import { firstPage, imageList } from '../images/images';
import { titleOf } from '../images/subject';
import { paths } from '../lib/paths';
import { EmptyState } from '../ui/EmptyState';
import { Page } from '../ui/Page';

/** Without an image in the address: the latest images that the viewer may analyse, and a link to all. */
export function PickImage() {
  const { t } = useTranslation();
  const viewer = useViewer();
  const may = (permission: Permission) => roleMay(viewer.role, permission);
  const lists = useQueries({
    queries: [imageList('uploaded', firstPage, may), imageList('shared', firstPage, may)],
  });
  const recent = lists
    .flatMap(({ data }) => data?.data ?? [])
    .filter((image) => actionsOf(viewer, image).ai && image.image_url)
    .sort((a, b) => b.createAt.localeCompare(a.createAt))
    .slice(0, 4);
  return (
    <Page title={t('analysis.title')}>
      <Box layerStyle="card" mb="6">
        <EmptyState
          as="h2"
          Icon={SparkleIcon}
          title={t('analysis.pick.title')}
          text={t('analysis.pick.text')}
          act={
            <Button asChild>
              <RouterLink to={paths.viewImages}>
                <ImagesIcon />
                {t('analysis.pick.act')}
              </RouterLink>
            </Button>
          }
        />
      </Box>
      {recent.length > 0 && (
        <>
          <Heading as="h2" textStyle="section" mb="3.5">
            {t('analysis.pick.recent')}
          </Heading>
          <Grid as="ul" listStyleType="none" templateColumns="repeat(auto-fill, minmax(200px, 1fr))" gap="5">
            {recent.map((image) => (
              <li key={image.id}>
                <LinkBox layerStyle="card" p="9px" pb="3" _hover={{ borderColor: 'border.control' }}>
                  <CardWell image={image} />
                  <LinkOverlay asChild dir="auto" display="block" px="1.5" pt="2.5" fontWeight="semibold" fontSize="sm">
                    <RouterLink to={paths.aiAnalysis(image.id)}>{titleOf(image, t('common.untitled'))}</RouterLink>
                  </LinkOverlay>
                </LinkBox>
              </li>
            ))}
          </Grid>
        </>
      )}
    </Page>
  );
}
