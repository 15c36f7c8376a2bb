import { lazy, Suspense } from 'react';
import { Profile } from '../profile/Profile';

const PatientImages = lazy(async () => {
  const [{ PatientImages: Images }, { imageDialogs }] = await Promise.all([
    import('../images/PatientImages'),
    import('./imageDialogs'),
  ]);
  return { default: ({ patientId }: { patientId: string }) => <Images patientId={patientId} {...imageDialogs} /> };
});

const images = (patientId: string) => (
  <Suspense fallback={null}>
    <PatientImages patientId={patientId} />
  </Suspense>
);

/** The profile, with the images of a patient for the people who work with them. */
export const ProfileScreen = () => <Profile imagesOf={images} />;
