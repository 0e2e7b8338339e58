package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The places that name the version, which {@code .ci/set-version} writes. */
class VersionTest {
    private static final Path ROOT = Repository.ROOT;
    private static final Pattern OWN = Pattern.compile(
            "<groupId>dev\\.rlm</groupId>\\s*<artifactId>[^<]+</artifactId>\\s*<version>([^<$]+)</version>");
    private static final Pattern PYTHON = Pattern.compile("(?m)^version = \"(.+)\"$");
    private static final Pattern HEADING = Pattern.compile("(?m)^## (\\S+?),? .*$");

    @Test
    void poms_andJavaPage_nameTheVersionOfTheParent() throws IOException {
        List<Path> named = Repository.files(name -> name.endsWith("pom.xml") || name.equals("docs/java.md"));
        assertThat(named.stream().flatMap(file -> found(OWN, file)).distinct()).containsExactly(version());
    }

    @Test
    void pythonPackage_hasTheSameVersion() {
        assertThat(found(PYTHON, ROOT.resolve("python/pyproject.toml")))
                .containsExactly(version().replace("-SNAPSHOT", ".dev0"));
    }

    @Test
    void changelog_beginsWithTheVersion() {
        assertThat(found(HEADING, ROOT.resolve("CHANGELOG.md")).findFirst())
                .contains(version().replace("-SNAPSHOT", ""));
    }

    private static String version() {
        return found(OWN, ROOT.resolve("pom.xml")).findFirst().orElseThrow();
    }

    private static Stream<String> found(Pattern pattern, Path file) {
        try {
            return pattern.matcher(Files.readString(file)).results().map(each -> each.group(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
