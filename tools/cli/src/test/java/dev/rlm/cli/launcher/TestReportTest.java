package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report of tests that a build has run, from reports as Maven writes them. */
class TestReportTest {
    private static final Path PROGRAM =
            Repository.ROOT.resolve(".ci/test-report").toAbsolutePath();

    @TempDir
    private Path folder;

    private record Told(int exitCode, List<String> lines) {}

    @BeforeEach
    void needPython() throws InterruptedException {
        try {
            assumeTrue(new ProcessBuilder("python3", "--version").start().waitFor() == 0, "python3 is not here");
        } catch (IOException e) {
            assumeTrue(false, "python3 is not here");
        }
    }

    private void report(String module, String name, double seconds, String... cases) throws IOException {
        Path file = folder.resolve(module + "/target/surefire-reports/TEST-" + name + ".xml");
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "<testsuite name=\"" + name + "\" time=\"" + seconds + "\">" + String.join("\n", cases)
                        + "</testsuite>");
    }

    private static String passed(String type, String method) {
        return "<testcase classname=\"" + type + "\" name=\"" + method + "\" time=\"0.1\"/>";
    }

    private static String flaky(String type, String method, String message) {
        return "<testcase classname=\"" + type + "\" name=\"" + method + "\"><flakyFailure message=\"" + message
                + "\" type=\"AssertionError\"><stackTrace>at A.java:1</stackTrace></flakyFailure></testcase>";
    }

    private Told tell() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        "python3",
                        PROGRAM.toString(),
                        "--record",
                        folder.resolve("record.tsv").toString(),
                        folder.toString())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Told(
                process.waitFor(), out.lines().filter(line -> !line.isBlank()).toList());
    }

    @Test
    void slowestClasses_areTold_theSlowestFirst() throws Exception {
        report("a", "x.QuickTest", 0.5, passed("x.QuickTest", "one"));
        report("b", "x.SlowTest", 61.25, passed("x.SlowTest", "one"));

        Told told = tell();
        assertThat(told.exitCode()).isZero();
        assertThat(told.lines())
                .containsExactly("slowest classes:", "     61.2 s  x.SlowTest", "      0.5 s  x.QuickTest");
    }

    @Test
    void skippedTests_areTold_byWhatTheyNeed() throws Exception {
        report(
                "a",
                "x.ATest",
                1,
                "<testcase classname=\"x.ATest\" name=\"one(Path)[1]\"><skipped message=\"Jaeger is not here\"/></testcase>",
                "<testcase classname=\"x.ATest\" name=\"two\"><skipped message=\"Jaeger is not here\"/></testcase>");

        Told told = tell();
        assertThat(told.exitCode()).isZero();
        assertThat(told.lines()).endsWith("skipped: 2 (ATest): Jaeger is not here");
    }

    @Test
    void flakyTest_isTold_andItsReportIsKept() throws Exception {
        report("a", "x.ATest", 1, passed("x.ATest", "one"), flaky("x.ATest", "two", "expected 1, was 2"));

        Told told = tell();
        assertThat(told.exitCode()).isZero();
        assertThat(told.lines()).contains("flaky: x.ATest.two: expected 1, was 2");
        String last = told.lines().get(told.lines().size() - 1);
        assertThat(last).startsWith("reports: ");
        assertThat(Path.of(last.substring("reports: ".length())).resolve("TEST-x.ATest.xml"))
                .hasSameTextualContentAs(folder.resolve("a/target/surefire-reports/TEST-x.ATest.xml"));
    }

    @Test
    void testThatWasFlakyInAnEarlierRun_isRed() throws Exception {
        report("a", "x.ATest", 1, flaky("x.ATest", "two(Path)[1]", "expected 1, was 2"));
        assertThat(tell().exitCode()).isZero();

        Told told = tell();
        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.lines())
                .anyMatch(line -> line.startsWith("flaky in an earlier run too") && line.endsWith("x.ATest.two"));
    }

    @Test
    void moreThanThreeFlakyTests_areRed() throws Exception {
        report("a", "x.ATest", 1, flaky("x.ATest", "a", "1"), flaky("x.ATest", "b", "2"), flaky("x.ATest", "c", "3"));
        report("b", "x.BTest", 1, flaky("x.BTest", "a", "4"));

        Told told = tell();
        assertThat(told.exitCode()).isEqualTo(1);
        assertThat(told.lines()).contains("4 tests were flaky, and 3 may be");
    }
}
