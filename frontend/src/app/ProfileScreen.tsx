import { lazy, Suspense } from 'react';
import { PatientEmergency } from '../emergencies/PatientEmergency';
import { Profile } from '../profile/Profile';

const PatientImages = lazy(async () => {
  const [{ PatientImages: Images }, { imageDialogs }] = await Promise.all([
    import('../images/PatientImages'),
    import('./imageDialogs'),
  ]);
  return { default: ({ patientId }: { patientId: string }) => <Images patientId={patientId} {...imageDialogs} /> };
});

const LazyImages = ({ patientId }: { patientId: string }) => (
  <Suspense fallback={null}>
    <PatientImages patientId={patientId} />
  </Suspense>
);

const LazyHelped = lazy(async () => {
  const [{ HelpedImages }, { imageDialogs }] = await Promise.all([
    import('../carers/HelpedImages'),
    import('./imageDialogs'),
  ]);
  return {
    default: ({ patientId }: { patientId: string }) => <HelpedImages patientId={patientId} {...imageDialogs} />,
  };
});

const Helped = ({ patientId }: { patientId: string }) => (
  <Suspense fallback={null}>
    <LazyHelped patientId={patientId} />
  </Suspense>
);

/** The profile with a patient's images, also for their carers, and the emergency access to them, which build on images. */
export const ProfileScreen = () => <Profile Emergency={PatientEmergency} Images={LazyImages} Helped={Helped} />;
