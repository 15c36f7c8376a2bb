import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.context.support.DefaultProfileValidationSupport;
import ca.uhn.fhir.validation.FhirValidator;
import ca.uhn.fhir.validation.ResultSeverityEnum;
import ca.uhn.fhir.validation.SingleValidationMessage;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.hl7.fhir.common.hapi.validation.support.CommonCodeSystemsTerminologyService;
import org.hl7.fhir.common.hapi.validation.support.InMemoryTerminologyServerValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.ValidationSupportChain;
import org.hl7.fhir.common.hapi.validation.validator.FhirInstanceValidator;

/** Validates a resource of FHIR R4 in each line of its input. Prints the faults of each, in one line: none is an empty line. */
public class Validate {
  public static void main(String[] args) throws Exception {
    FhirContext context = FhirContext.forR4();
    ValidationSupportChain support = new ValidationSupportChain(
        new DefaultProfileValidationSupport(context),
        new CommonCodeSystemsTerminologyService(context),
        new InMemoryTerminologyServerValidationSupport(context));
    FhirInstanceValidator instances = new FhirInstanceValidator(support);
    instances.setAnyExtensionsAllowed(false);
    FhirValidator validator = context.newValidator().registerValidatorModule(instances);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      StringBuilder faults = new StringBuilder();
      for (SingleValidationMessage one : validator.validateWithResult(line).getMessages()) {
        if (one.getSeverity().ordinal() < ResultSeverityEnum.ERROR.ordinal()) continue;
        faults.append(faults.length() > 0 ? " · " : "").append(one.getLocationString()).append(": ")
            .append(one.getMessage().replaceAll("\\s+", " "));
      }
      out.println(faults);
    }
  }
}
