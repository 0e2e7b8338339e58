package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which sinks a configuration chooses of the providers that are found by their service file. */
@Timeout(60)
class SelectionTest {
    private static final String SERVICE = "META-INF/services/" + SinkProvider.class.getName();

    private static final List<Recorder> MADE = new ArrayList<>();
    private static final List<SinkConfig> CONFIGS = new ArrayList<>();

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @TempDir
    Path folder;

    @AfterEach
    void restore() {
        Thread.currentThread().setContextClassLoader(before);
        MADE.clear();
        CONFIGS.clear();
    }

    @Test
    void sink_isChosenByItsVariable() {
        providers(Alpha.class, Beta.class);
        try (Sinks sinks = sinks(Map.of("RLM_ALPHA_ENABLED", "yes"))) {
            assertThat(sinks.get("alpha")).isPresent();
            assertThat(sinks.statuses())
                    .extracting(SinkStatus::name, SinkStatus::enabled, SinkStatus::available)
                    .containsExactly(tuple("alpha", true, true), tuple("beta", false, true));
        }
        assertThat(MADE).hasSize(1).allMatch(Recorder::isClosed);
    }

    @Test
    void defaults_andTheMasterSwitch() {
        providers(Alpha.class, OnByDefault.class);
        assertThat(chosen(Map.of())).containsExactly("on");
        assertThat(chosen(Map.of("RLM_ON_ENABLED", "off"))).isEmpty();
        assertThat(chosen(Map.of("RLM_OBS_ENABLED", "0", "RLM_ALPHA_ENABLED", "1")))
                .isEmpty();
    }

    @Test
    void only_choosesByName_whateverTheVariablesSay() {
        providers(Alpha.class, OnByDefault.class);
        Sinks.Builder builder = Sinks.builder().config(SinkConfig.of(Map.of("RLM_OBS_ENABLED", "off")));
        try (Sinks sinks = builder.only(List.of("alpha")).build()) {
            assertThat(enabled(sinks)).containsExactly("alpha");
        }
        assertThatThrownBy(() -> builder.only(List.of("gamma")).build())
                .isInstanceOf(SinkConfigException.class)
                .hasMessage("unknown sink 'gamma': known are alpha, on");
    }

    @Test
    void sinkThatKeepsTheRecord_isSentToAgain_onlyWhereItIsNamed() {
        providers(Alpha.class, Keeping.class);
        SinkConfig config = SinkConfig.of(Map.of("RLM_ALPHA_ENABLED", "1", "RLM_KEEPING_ENABLED", "1"));
        try (Sinks live = Sinks.builder().config(config).build();
                Sinks again = Sinks.builder().config(config).resending().build();
                Sinks imported = Sinks.builder().config(config).importing().build();
                Sinks named = Sinks.builder()
                        .config(config)
                        .resending()
                        .only(List.of("keeping"))
                        .build()) {
            assertThat(enabled(live)).containsExactly("alpha", "keeping");
            assertThat(enabled(imported)).containsExactly("alpha", "keeping");
            assertThat(enabled(again)).containsExactly("alpha");
            assertThat(enabled(named)).containsExactly("keeping");
        }
    }

    @Test
    void provider_isTold_thatEventsAreSentAgain_andWhetherTheyWereCounted() {
        providers(OnByDefault.class);
        SinkConfig config = SinkConfig.of(Map.of());
        try (Sinks live = Sinks.builder().config(config).build();
                Sinks again = Sinks.builder().config(config).resending().build();
                Sinks measuring =
                        Sinks.builder().config(config).resendingAndMeasuring().build();
                Sinks importing = Sinks.builder().config(config).importing().build()) {
            assertThat(List.of(live, again, measuring, importing))
                    .allMatch(sinks -> enabled(sinks).equals(List.of("on")));
            assertThat(CONFIGS)
                    .extracting(SinkConfig::isResending, SinkConfig::isCounted)
                    .containsExactly(tuple(false, false), tuple(true, true), tuple(true, false), tuple(true, true));
        }
    }

    @Test
    void variableOfAnUnknownSink_isAnError() {
        providers(Alpha.class, Beta.class);
        fails(Map.of("RLM_GAMMA_ENABLED", "true"), "RLM_GAMMA_ENABLED names no sink: known are alpha, beta");
        assertThat(chosen(Map.of("RLM_GAMMA_ENABLED", "false"))).isEmpty();
        assertThat(chosen(Map.of("RLM_GAMMA_ENABLED", "true", "RLM_OBS_ENABLED", "false")))
                .isEmpty();
        assertThat(chosen(Map.of("RLM_BETA_EXTRA_ENABLED", "true"))).isEmpty(); // a variable that beta reads
    }

    @Test
    void furtherSinks_ofAProviderThatAllowsThem_areChosenByTheirSwitches() {
        providers(Many.class, Alpha.class);
        Map<String, String> variables = Map.of(
                "RLM_MANY_2_ENABLED", "true",
                "RLM_MANY_EU_WEST_ENABLED", "1",
                "RLM_MANY_OFF_ENABLED", "false",
                "RLM_MANY_2_EXTRA_ENABLED", "false", // a setting of many-2
                "RLM_MANY_SIZE", "3",
                "RLM_MANY_2_SIZE", "4");
        try (Sinks sinks = sinks(variables)) {
            assertThat(sinks.statuses())
                    .extracting(SinkStatus::name, SinkStatus::enabled, SinkStatus::detail)
                    .containsExactly(
                            tuple("many-2", true, "size 4, extra false"),
                            tuple("many-eu-west", true, "size 3, extra true"),
                            tuple("many", false, "RLM_MANY_ENABLED=true turns it on"),
                            tuple("many-off", false, "RLM_MANY_OFF_ENABLED=true turns it on"),
                            tuple("alpha", false, "RLM_ALPHA_ENABLED=true turns it on"));
        }
    }

    @Test
    void furtherSinks_areChosenByName() {
        providers(Many.class);
        Sinks.Builder builder = Sinks.builder().config(SinkConfig.of(Map.of("RLM_MANY_3_ENABLED", "true")));
        try (Sinks sinks = builder.only(List.of("many-2", "many")).build()) {
            assertThat(enabled(sinks)).containsExactly("many", "many-2");
        }
        for (String wrong : List.of("many-", "many--2", "Many-2", "many 2", "alpha-2")) {
            assertThatThrownBy(() -> builder.only(List.of(wrong)).build())
                    .isInstanceOf(SinkConfigException.class)
                    .hasMessageStartingWith("unknown sink '" + wrong + "': known are many, many-");
        }
    }

    @Test
    void furtherSinks_ofAProviderThatDoesNotAllowThem_areErrors() {
        providers(Many.class, Alpha.class);
        fails(
                Map.of("RLM_ALPHA_2_ENABLED", "true"),
                "RLM_ALPHA_2_ENABLED names no sink: known are alpha, many;"
                        + " for a further sink of 'many' set RLM_MANY_ALPHA_2_ENABLED");
        fails(Map.of("RLM_MANY__ENABLED", "true"), "RLM_MANY__ENABLED names no sink: known are alpha, many");
    }

    @Test
    void furtherSink_namesItsOwnVariables() {
        providers(Many.class);
        fails(Map.of("RLM_MANY_2_ENABLED", "maybe"), "RLM_MANY_2_ENABLED=maybe is not valid");
        fails(
                Map.of("RLM_MANY_2_ENABLED", "1", "RLM_MANY_2_SIZE", "9"),
                "RLM_MANY_2_SIZE=9 is not valid: expected a whole number from 1 to 5");
        fails(
                Map.of("RLM_MANY_2_ENABLED", "1", "RLM_MANY_SIZE", "9"),
                "RLM_MANY_SIZE=9 is not valid: expected a whole number from 1 to 5");
        Map<String, String> broken = Map.of("RLM_MANY_2_ENABLED", "1", "RLM_MANY_2_BROKEN", "true");
        try (Sinks sinks = sinks(broken)) {
            assertThat(sinks.statuses().get(1)).returns("many-2", SinkStatus::name);
            assertThat(sinks.statuses().get(1)).returns(false, SinkStatus::available);
        }
        Map<String, String> required = new HashMap<>(broken);
        required.put("RLM_MANY_2_REQUIRED", "true");
        fails(required, "sink 'many-2' is required (RLM_MANY_2_REQUIRED) but failed: ");
    }

    @Test
    void switch_thatIsASystemProperty_choosesAFurtherSink() {
        providers(Many.class);
        System.setProperty("rlm.many.prop.enabled", "true");
        try (Sinks sinks = Sinks.builder().config(SinkConfig.system()).build()) {
            assertThat(sinks.get("many-prop")).isPresent();
        } finally {
            System.clearProperty("rlm.many.prop.enabled");
        }
    }

    @Test
    void switches_thatAreNeitherTrueNorFalse_areErrors() {
        providers(Alpha.class);
        for (String variable : List.of("RLM_OBS_ENABLED", "RLM_ALPHA_ENABLED", "RLM_REDACT")) {
            fails(Map.of(variable, "maybe"), variable + "=maybe is not valid: expected true or false");
        }
        fails(Map.of("RLM_ALPHA_ENABLED", "1", "RLM_ALPHA_REQUIRED", "x"), "RLM_ALPHA_REQUIRED=x is not valid");
    }

    @Test
    void names_inUseTwice_areErrors() {
        providers(Alpha.class, OtherAlpha.class);
        fails(Map.of(), "two sinks are named 'alpha'");
        providers(Beta.class, Alpha.class);
        Sinks.Builder builder = Sinks.builder()
                .config(SinkConfig.of(Map.of("RLM_ALPHA_ENABLED", "1", "RLM_BETA_ENABLED", "1")))
                .add("alpha", new Recorder());
        assertThatThrownBy(builder::build)
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("two sinks are named 'alpha'");
        assertThat(MADE).hasSize(1).allMatch(Recorder::isClosed);
    }

    @Test
    void names_thatAreNotValid_areErrors() {
        providers(BadName.class);
        fails(Map.of(), "the sink name 'Bad Name'");
    }

    @Test
    void brokenProvider_becomesAStatus_unlessRequired() {
        providers(Broken.class, Alpha.class);
        Map<String, String> on =
                Map.of("RLM_BROKEN_ENABLED", "1", "RLM_ALPHA_ENABLED", "1", "SOME_SECRET", "a-secret-value");
        try (Sinks sinks = sinks(on)) {
            assertThat(enabled(sinks)).containsExactlyInAnyOrder("alpha", "broken");
            SinkStatus broken = sinks.statuses().get(1);
            assertThat(broken.available()).isFalse();
            assertThat(broken.detail())
                    .startsWith("java.lang.LinkageError: cannot reach [REDACTED:env:")
                    .doesNotContain("\n");
        }
        fails(
                Map.of("RLM_BROKEN_ENABLED", "1", "RLM_BROKEN_REQUIRED", "true"),
                "sink 'broken' is required (RLM_BROKEN_REQUIRED) but failed: java.lang.LinkageError: cannot reach");
    }

    @Test
    void secrets_areInNoErrorAndNoStatus() {
        Map<String, String> on = Map.of("RLM_TALKING_ENABLED", "1", "SOME_SECRET", "a-secret-value");
        providers(Talking.class, Unmade.class);
        try (Sinks sinks = sinks(on)) {
            assertThat(sinks.statuses())
                    .extracting(SinkStatus::detail)
                    .hasSize(2)
                    .allMatch(detail -> detail.contains("[REDACTED:env:") && !detail.contains("a-secret-value"));
        }
        providers(Refusing.class);
        assertThatThrownBy(() -> sinks(Map.of("RLM_REFUSING_ENABLED", "1", "SOME_SECRET", "a-secret-value")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("cannot use [REDACTED:env:")
                .hasStackTraceContaining("SinkConfigException")
                .satisfies(error -> assertThat(error).hasNoCause());
    }

    @Test
    void providerThatGivesNoSink_becomesAStatus() {
        providers(GivesNone.class);
        try (Sinks sinks = sinks(Map.of("RLM_NONE_ENABLED", "1"))) {
            assertThat(sinks.statuses()).singleElement().matches(status -> !status.available());
            assertThat(sinks.flush(Duration.ofSeconds(20)).sinks())
                    .as("nothing is known to have arrived there")
                    .containsExactly(entry("none", false));
        }
    }

    @Test
    void providersThatCannotBeLoaded_becomeStatuses() throws IOException {
        providers(Nameless.class, Mute.class, Alpha.class);
        Files.writeString(folder.resolve(SERVICE), "\nno.such.Provider\n", StandardOpenOption.APPEND);
        try (Sinks sinks = sinks(Map.of("RLM_ALPHA_ENABLED", "1"))) {
            assertThat(sinks.statuses())
                    .extracting(SinkStatus::name, SinkStatus::available)
                    .containsExactly(tuple("alpha", true), tuple("?", false), tuple("?", false), tuple("?", false));
            assertThat(sinks.statuses().get(3).detail()).contains("no.such.Provider");
        }
    }

    @Test
    void badSetting_stopsTheStart_andClosesEarlierSinks() {
        providers(Alpha.class, BadSetting.class);
        fails(
                Map.of("RLM_ALPHA_ENABLED", "1", "RLM_BAD_ENABLED", "1", "RLM_BAD_SIZE", "9"),
                "RLM_BAD_SIZE=9 is not valid: expected a whole number from 1 to 5");
        assertThat(MADE).hasSize(1).allMatch(Recorder::isClosed);
    }

    @Test
    void plugin_fromAJar_isFoundAndChosen() throws Exception {
        Path jars = Files.createDirectory(folder.resolve("jars"));
        jar(jars.resolve("plugin.jar"));
        Files.writeString(jars.resolve("readme.txt"), "no jar");
        try (Sinks sinks = sinks(Map.of("RLM_PLUGINS", jars.toString(), "RLM_PLUGGED_IN_ENABLED", "1"))) {
            assertThat(sinks.statuses())
                    .extracting(SinkStatus::name, SinkStatus::detail)
                    .contains(tuple("plugged-in", "from a jar"));
        }
    }

    @Test
    void plugin_thatIsNoJar_isAStatus_ofTheSinkThatIsMissing_whereOneIs() throws Exception {
        Path jars = Files.createDirectory(folder.resolve("jars"));
        Path broken = Files.writeString(jars.resolve("broken.jar"), "no jar");
        Path pipe = jars.resolve("pipe.jar");
        try {
            assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                    .isZero();
        } catch (IOException e) {
            Files.createDirectory(pipe); // where there are no pipes: no file either
        }
        try (Sinks sinks = sinks(Map.of("RLM_PLUGINS", jars.toString()))) {
            assertThat(sinks.statuses())
                    .extracting(SinkStatus::available, SinkStatus::detail)
                    .contains(
                            tuple(false, broken + " is not a readable jar"),
                            tuple(false, pipe + " is not a readable jar"));
        }
        Files.delete(pipe);
        String reason = "its provider cannot be loaded: " + broken + " is not a readable jar";
        try (Sinks sinks = sinks(Map.of("RLM_PLUGINS", jars.toString(), "RLM_MISSING_ENABLED", "1"))) {
            assertThat(sinks.statuses())
                    .extracting(SinkStatus::name, SinkStatus::enabled, SinkStatus::available, SinkStatus::detail)
                    .containsExactly(tuple("missing", true, false, reason));
        }
        fails(
                Map.of("RLM_PLUGINS", jars.toString(), "RLM_MISSING_ENABLED", "1", "RLM_MISSING_REQUIRED", "1"),
                "sink 'missing' is required (RLM_MISSING_REQUIRED) but failed: " + reason);
    }

    @Test
    void chosenSinks_whoseProvidersCannotBeLoaded_areNotAvailable_unlessRequired() {
        providers(Unmade.class, Mute.class, Alpha.class);
        Map<String, String> on =
                Map.of("RLM_ALPHA_ENABLED", "1", "RLM_UNMADE_ENABLED", "1", "SOME_SECRET", "a-secret-value");
        String reason = "its provider cannot be loaded: dev.rlm.sinks.SinkProvider: Provider " + Unmade.class.getName()
                + " could not be instantiated: java.lang.IllegalStateException: cannot reach ";
        try (Sinks sinks = sinks(on);
                Sinks named = Sinks.builder()
                        .config(SinkConfig.of(on))
                        .only(List.of("unmade"))
                        .build()) {
            assertThat(sinks.statuses())
                    .extracting(SinkStatus::name, SinkStatus::enabled, SinkStatus::available)
                    .containsExactly(tuple("alpha", true, true), tuple("unmade", true, false));
            assertThat(sinks.statuses().get(1).detail())
                    .startsWith(reason)
                    .contains("; " + Mute.class.getName() + ": ")
                    .doesNotContain("a-secret-value");
            assertThat(named.statuses())
                    .extracting(SinkStatus::name, SinkStatus::enabled)
                    .containsExactlyInAnyOrder(tuple("unmade", true), tuple("alpha", false));
        }
        Map<String, String> required = new HashMap<>(on);
        required.put("RLM_UNMADE_REQUIRED", "true");
        fails(required, "sink 'unmade' is required (RLM_UNMADE_REQUIRED) but failed: " + reason);
    }

    @Test
    void plugins_manyOfThemBroken_hideNoOther() throws IOException {
        providers(Alpha.class);
        Path jars = Files.createDirectory(folder.resolve("jars"));
        for (int i = 0; i < 100; i++) {
            Files.writeString(jars.resolve(i + ".jar"), "no jar");
        }
        assertThat(chosen(Map.of("RLM_PLUGINS", jars.toString(), "RLM_ALPHA_ENABLED", "1")))
                .containsExactly("alpha");
    }

    @Test
    void plugins_inNoFolder_isAnError() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        for (Path noFolder : List.of(file, folder.resolve("missing"))) {
            fails(
                    Map.of("RLM_PLUGINS", noFolder.toString()),
                    "RLM_PLUGINS=" + noFolder + " is not valid: expected a readable folder of jars");
        }
    }

    private void jar(Path jar) throws IOException {
        Path source = Files.writeString(folder.resolve("PluggedIn.java"), """
                import dev.rlm.sinks.*;

                public class PluggedIn implements SinkProvider {
                    public String name() {
                        return "plugged-in";
                    }

                    public Sink create(SinkConfig config) {
                        return new Sink() {
                            public Health status() {
                                return new Health(true, "from a jar");
                            }
                        };
                    }
                }
                """);
        Path classes = Files.createDirectory(folder.resolve("classes"));
        String classPath = System.getProperty("java.class.path");
        String[] options = {"-proc:none", "-cp", classPath, "-d", classes.toString(), source.toString()};
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, options))
                .isZero();
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.list(classes)) {
            for (Path file : files.toList()) {
                out.putNextEntry(new JarEntry(file.getFileName().toString()));
                Files.copy(file, out);
            }
            out.putNextEntry(new JarEntry(SERVICE));
            out.write("PluggedIn".getBytes(StandardCharsets.UTF_8));
        }
    }

    // ---- what is found

    /** Lets exactly these be found. */
    private void providers(Class<?>... providers) {
        try {
            Path services = folder.resolve(SERVICE);
            Files.createDirectories(services.getParent());
            Files.write(services, Stream.of(providers).map(Class::getName).toList());
            URL[] urls = {folder.toUri().toURL()};
            Thread.currentThread().setContextClassLoader(new URLClassLoader(urls, before));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Sinks sinks(Map<String, String> variables) {
        return Sinks.builder().config(SinkConfig.of(variables)).build();
    }

    private static List<String> chosen(Map<String, String> variables) {
        try (Sinks sinks = sinks(variables)) {
            return enabled(sinks);
        }
    }

    private static List<String> enabled(Sinks sinks) {
        return sinks.statuses().stream()
                .filter(SinkStatus::enabled)
                .map(SinkStatus::name)
                .toList();
    }

    private static void fails(Map<String, String> variables, String message) {
        assertThatThrownBy(() -> sinks(variables))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("\n");
    }

    /** A provider of recorders. */
    abstract static class Named implements SinkProvider {
        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Sink create(SinkConfig config) {
            Recorder sink = new Recorder();
            MADE.add(sink);
            CONFIGS.add(config);
            return sink;
        }
    }

    /** Found as {@code alpha}. */
    public static final class Alpha extends Named {
        public Alpha() {
            super("alpha");
        }
    }

    /** Found under a name that is in use. */
    public static final class OtherAlpha extends Named {
        public OtherAlpha() {
            super("alpha");
        }
    }

    /** Found as {@code beta}; reads a variable that looks like a switch of another sink. */
    public static final class Beta extends Named {
        public Beta() {
            super("beta");
        }

        @Override
        public List<Variable> variables() {
            return List.of(new Variable("RLM_BETA_EXTRA_ENABLED", "false", "more of it"));
        }
    }

    /** Allows several sinks, each of a size of its own. */
    public static final class Many extends Named {
        public Many() {
            super("many");
        }

        @Override
        public boolean allowsSeveral() {
            return true;
        }

        @Override
        public List<Variable> variables() {
            return List.of(new Variable("RLM_MANY_EXTRA_ENABLED", "true", "more of it"));
        }

        @Override
        public Sink create(SinkConfig config) {
            if (config.bool("BROKEN", false)) {
                throw new IllegalStateException("broken");
            }
            String detail = "size " + config.integer("SIZE", 1, 1, 5) + ", extra " + config.bool("EXTRA_ENABLED", true);
            return new Sink() {
                @Override
                public Health status() {
                    return new Health(true, detail);
                }
            };
        }
    }

    /** Used unless it is switched off. */
    public static final class OnByDefault extends Named {
        public OnByDefault() {
            super("on");
        }

        @Override
        public boolean isEnabledByDefault() {
            return true;
        }
    }

    /** Keeps the record. */
    public static final class Keeping extends Named {
        public Keeping() {
            super("keeping");
        }

        @Override
        public boolean isDurable() {
            return true;
        }
    }

    /** Found under a name that is none. */
    public static final class BadName extends Named {
        public BadName() {
            super("Bad Name");
        }
    }

    /** Fails to say its name. */
    public static final class Nameless extends Named {
        public Nameless() {
            super("nameless");
        }

        @Override
        public String name() {
            throw new IllegalStateException("no name");
        }
    }

    /** Fails to say what it reads. */
    public static final class Mute extends Named {
        public Mute() {
            super("mute");
        }

        @Override
        public List<Variable> variables() {
            throw new IllegalStateException("no variables");
        }
    }

    /** Fails to make a sink. */
    public static final class Broken extends Named {
        public Broken() {
            super("broken");
        }

        @Override
        public Sink create(SinkConfig config) {
            throw new LinkageError("cannot reach a-secret-value\nmore");
        }
    }

    /** Makes a sink that tells a secret in its status. */
    public static final class Talking extends Named {
        public Talking() {
            super("talking");
        }

        @Override
        public Sink create(SinkConfig config) {
            return new Sink() {
                @Override
                public Health status() {
                    return new Health(true, "http://a-secret-value@host");
                }
            };
        }
    }

    /** Cannot even be made. */
    public static final class Unmade extends Named {
        public Unmade() {
            super("unmade");
            throw new IllegalStateException("cannot reach a-secret-value");
        }
    }

    /** Is not content with a setting, and shows it. */
    public static final class Refusing extends Named {
        public Refusing() {
            super("refusing");
        }

        @Override
        public Sink create(SinkConfig config) {
            throw new SinkConfigException("cannot use a-secret-value");
        }
    }

    /** Makes nothing. */
    public static final class GivesNone extends Named {
        public GivesNone() {
            super("none");
        }

        @Override
        @SuppressWarnings("NullAway") // a provider that was compiled without a null checker
        public Sink create(SinkConfig config) {
            return null;
        }
    }

    /** Reads a setting within bounds. */
    public static final class BadSetting extends Named {
        public BadSetting() {
            super("bad");
        }

        @Override
        public Sink create(SinkConfig config) {
            config.integer("SIZE", 1, 1, 5);
            return super.create(config);
        }
    }
}
