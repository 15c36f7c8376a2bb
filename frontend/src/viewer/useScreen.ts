import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { paths } from '../lib/paths';
import { useTitle } from '../ui/Page';

/** The parts that the screens of an image and of a study have in common. `ready` is true when the facts are there. */
export function useScreen(ready: boolean) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useTitle(t('viewer.title'));
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    if (ready) setOpened(true);
  }, [ready]);
  return {
    /** True once there was a picture, also after the access has ended. */
    opened,
    /** The router numbers its entries. Before the first of them is another site, or nothing. */
    onBack: () => ((window.history.state?.idx ?? 0) > 0 ? navigate(-1) : navigate(paths.viewImages)),
  };
}
