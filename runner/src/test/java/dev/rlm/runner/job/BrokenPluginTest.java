package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.cli.testkit.PluginFolder;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.sinks.event.RunEnded;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Plug-ins that are broken are told in one line, and stop only what needs them. */
@Timeout(120)
class BrokenPluginTest {
    @TempDir
    private Path folder;

    @Test
    void plugIns_thatNobodyAskedFor_costNothing() throws IOException {
        Cli run = run(
                "30s",
                List.of(
                        "com.example.Missing",
                        name(BrokenPlugins.Throwing.class),
                        name(BrokenPlugins.Nameless.class),
                        name(BrokenPlugins.First.class),
                        name(BrokenPlugins.Second.class),
                        name(BrokenPlugins.HangingInOpen.class)));

        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(KeptSinkProvider.events(RunEnded.class)).hasSize(4);
    }

    @Test
    void plugIn_thatCannotBeLoaded_isToldWhereItIsAskedFor() throws IOException {
        assertThat(refused(BrokenPlugins.Throwing.class, "throwing"))
                .startsWith("rlm: unknown environment 'throwing': known are calc")
                .contains("a plug-in cannot be loaded: ")
                .contains("IllegalStateException: not today");
        assertThat(refused(BrokenPlugins.Nameless.class, "nameless"))
                .contains("the name 'No Name' of " + name(BrokenPlugins.Nameless.class) + " is not valid");
        assertThat(error(run("30s", List.of("com.example.Missing"), "--env", "missing")))
                .contains("Provider com.example.Missing not found");
    }

    @Test
    void plugIns_ofOneName_areRefusedWhereItIsAskedFor() throws IOException {
        List<String> twins = List.of(name(BrokenPlugins.First.class), name(BrokenPlugins.Second.class));

        assertThat(error(run("30s", twins, "--env", "twin")))
                .contains("two of kind environment are named 'twin': " + twins.get(0) + " and " + twins.get(1));
    }

    @Tag("thorough")
    @Test
    void plugIn_thatHangs_isWaitedForSoLongAndNoLonger() throws IOException {
        assertThat(error(run("100ms", List.of(name(BrokenPlugins.HangingInOpen.class)), "--env", "hanging")))
                .isEqualTo("rlm: opening environment 'hanging' takes longer than 100ms (RLM_PLUGIN_TIMEOUT)");
        List<String> stuck = List.of(name(BrokenPlugins.First.class), name(BrokenPlugins.HangingInConstructor.class));
        assertThat(run("3s", stuck, "--env", "twin").exitCode()).isZero();
        assertThat(error(run("3s", stuck, "--env", "stuck")))
                .contains(
                        "known are calc, python, openenv, task-folder, chat, twin",
                        "finding plug-ins of kind environment takes longer than 3.00s");
    }

    @Test
    void plugIn_thatThrowsInOpen_isToldInOneLine() throws IOException {
        assertThat(refused(BrokenPlugins.ThrowingInOpen.class, "refusing"))
                .isEqualTo(
                        "rlm: opening environment 'refusing' failed: java.lang.NoClassDefFoundError: com/example/Missing");
    }

    @Test
    void plugIn_thatThrowsInClose_hasDoneItsJob() throws IOException {
        Cli run = run("30s", List.of(name(BrokenPlugins.ThrowingInClose.class)), "--env", "leaving");

        assertThat(run.exitCode()).isZero();
        assertThat(KeptSinkProvider.events(RunEnded.class)).hasSize(4);
    }

    private String refused(Class<?> provider, String environment) throws IOException {
        return error(run("30s", List.of(name(provider)), "--env", environment));
    }

    private static String error(Cli run) {
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).hasSize(1);
        return run.err().strip();
    }

    private static String name(Class<?> provider) {
        return provider.getName();
    }

    private Cli run(String patience, List<String> providers, String... options) throws IOException {
        String plugins = PluginFolder.naming(folder, EnvironmentProvider.class, providers.toArray(String[]::new));
        List<String> all = new ArrayList<>(List.of("run", "--samples", "1", "--sink", "kept"));
        all.addAll(Arrays.asList(options));
        return Cli.with(Map.of("RLM_PLUGINS", plugins, "RLM_PLUGIN_TIMEOUT", patience), all.toArray(String[]::new));
    }
}
