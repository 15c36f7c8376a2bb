import { PatientEmergency } from '../emergencies/PatientEmergency';
import { Profile } from '../profile/Profile';

/** The profile with the emergency access to a patient's images, which builds on images. */
export const ProfileScreen = () => <Profile Emergency={PatientEmergency} />;
