package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What users of the published modules compile against, compared with what was written down: so no change of it goes by
 * unseen. {@code -Drlm.api.update=true} writes it down anew.
 */
class PublicApiTest {
    private static final Path FILES = Path.of("src", "test", "resources", "public-api");
    private static final Pattern PUBLISHED = Pattern.compile("<artifactId>(?!rlm-bom)([^<]+)</artifactId>");
    private static final Pattern MODULE = Pattern.compile("/([^/]+)/target/");
    private static final Pattern NAME = Pattern.compile("<java.module.name>([^<]+)</java.module.name>");

    /** The hub is found while a program runs, and is nothing to compile against; the others say that they promise nothing. */
    private static final Pattern INTERNAL = Pattern.compile(
            "dev\\.rlm\\.(sinks\\.core|sinks\\.redaction\\.regex|journal\\.(format|line)|sinks\\.otel\\.(spans|metrics|settings|export|files))\\..*"
                    + "|dev\\.rlm\\.sinks\\.otel\\.mapping\\.(?!(ContentCapture|SpanNames)$).*");

    private static JavaClasses classes;

    @BeforeAll
    static void readClasses() {
        classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("dev.rlm");
    }

    /** Of those that each build has: what a profile adds is not on this class path. */
    static Stream<String> published() throws IOException {
        String modules = Files.readString(Repository.ROOT.resolve("pom.xml")).replaceFirst("(?s)</modules>.*", "");
        return PUBLISHED
                .matcher(Files.readString(Repository.ROOT.resolve("bom/pom.xml")))
                .results()
                .map(found -> found.group(1))
                .filter(module -> Pattern.compile("[>/]" + module + "</module>")
                        .matcher(modules)
                        .find());
    }

    @ParameterizedTest
    @MethodSource("published")
    void api_isAsItWasWrittenDown(String module) throws IOException {
        assertThat(of(module)).as("classes of " + module).isNotEmpty();
        List<String> now = of(module)
                .filter(PublicApi::isVisible)
                .filter(type -> !INTERNAL.matcher(type.getName()).matches())
                .sorted(Comparator.comparing(JavaClass::getName))
                .flatMap(type -> PublicApi.lines(type.reflect()))
                .toList();
        Path file = FILES.resolve(module + ".txt");
        if (Boolean.getBoolean("rlm.api.update")) {
            Files.createDirectories(FILES);
            Files.write(file, now);
        }

        assertThat(now)
                .as("what is public in " + module
                        + "; say in the changelog what users have to change, and run this test"
                        + " with -Drlm.api.update=true")
                .isEqualTo(Files.readAllLines(file));
    }

    /** The name of a module is the package that all of its packages begin with. */
    @ParameterizedTest
    @MethodSource("published")
    void archive_isNamedAfterItsPackages(String module) throws IOException {
        Matcher name = NAME.matcher(Files.readString(Repository.folder(module).resolve("pom.xml")));
        assertThat(name.find()).as("java.module.name in " + module + "/pom.xml").isTrue();
        assertThat(of(module).map(JavaClass::getPackageName))
                .allMatch(packageName -> (packageName + ".").startsWith(name.group(1) + "."));
    }

    @Test
    void modules_haveNamesOfTheirOwn() throws IOException {
        Set<String> names = new TreeSet<>();
        for (String module : published().toList()) {
            NAME.matcher(Files.readString(Repository.folder(module).resolve("pom.xml")))
                    .results()
                    .map(MatchResult::group)
                    .forEach(name -> assertThat(names.add(name)).as(name).isTrue());
        }
    }

    private static Stream<JavaClass> of(String module) {
        return classes.stream()
                .filter(type -> type.getSource()
                        .map(source -> module.equals(module(source.getUri().toString())))
                        .orElse(false));
    }

    private static String module(String location) {
        Matcher module = MODULE.matcher(location);
        return module.find() ? module.group(1) : "";
    }
}
