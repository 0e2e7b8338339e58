package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.event.RunInfoBuilder;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that runs keep, as sinks get them. */
@Timeout(60)
class ArtifactTest {
    private static final String SECRET = "planted-s3cret-value";
    private static final byte[] PICTURE = {(byte) 0x89, 'P', 'N', 'G', 0, 1, 2, (byte) 0xFF};

    private final Recorder sink = new Recorder();
    private Sinks sinks = sinks(Map.of());

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        sinks.close();
    }

    private Sinks sinks(Map<String, String> variables) {
        Sinks made = Sinks.builder()
                .config(SinkConfig.of(variables))
                .only(List.of())
                .add("recorder", sink)
                .build();
        made.registerSecret(SECRET);
        return made;
    }

    private void with(String variable, String value) {
        sinks.close();
        sinks = sinks(Map.of(variable, value));
    }

    private Run run() {
        return sinks.startRun(RunSpec.builder("env").build());
    }

    private ArtifactSaved kept(Path file) {
        try (Run run = run()) {
            run.artifact(file);
            run.complete("");
        }
        return last();
    }

    private ArtifactSaved kept(String mediaType, byte[] bytes) {
        try (Run run = run()) {
            run.artifact("a-name", mediaType, bytes);
            run.complete("");
        }
        return last();
    }

    private ArtifactSaved last() {
        sinks.close();
        return sink.only(ArtifactSaved.class);
    }

    private static String text(ArtifactSaved file) {
        return StandardCharsets.UTF_8
                .decode(Objects.requireNonNull(file.content()).bytes())
                .toString();
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private static void assertAbsent(ArtifactSaved file, String reason, long size) {
        assertThat(file.absence()).isEqualTo(reason);
        assertThat(file.size()).isEqualTo(size);
        assertThat(file.sha256()).isEmpty();
        if (file.content() != null) {
            assertThat(file.content().bytes().remaining()).isZero();
        }
    }

    @Test
    void file_isKeptAsItWasAtTheCall() throws Exception {
        Path file = Files.writeString(folder.resolve("notes.txt"), "before");
        try (Run run = run();
                Step step = run.startStep()) {
            step.artifact(file);
            Files.writeString(file, "something else");
            Files.delete(file);
            step.complete("");
            run.complete("");
        }
        ArtifactSaved kept = last();
        assertThat(text(kept)).isEqualTo("before");
        assertThat(kept)
                .extracting(ArtifactSaved::name, ArtifactSaved::mediaType, ArtifactSaved::path, ArtifactSaved::step)
                .containsExactly("notes.txt", "text/plain", file.toString(), 1);
        assertThat(kept.size()).isEqualTo(6);
        assertThat(kept.sha256()).isEqualTo(sha256("before".getBytes(StandardCharsets.UTF_8)));
        assertThat(kept.absence()).isNull();
    }

    @Test
    void bytes_areCopied() {
        byte[] bytes = "before".getBytes(StandardCharsets.UTF_8);
        try (Run run = run()) {
            run.artifact("../../a\nname", "text/plain", bytes);
            Arrays.fill(bytes, (byte) 'x');
            run.complete("");
        }
        assertThat(text(last())).isEqualTo("before");
        assertThat(last().name()).as("a label").isEqualTo("../../a\nname");
    }

    @Test
    void whatIsCurrent_keepsFilesInItsStep() {
        try (Run run = run();
                Step step = run.startStep();
                Span span = step.span("search");
                Scope current = span.makeCurrent()) {
            Activity.current().artifact("a-name", "", PICTURE);
        }
        assertThat(last().step()).isEqualTo(1);
        assertThat(last().mediaType()).isEqualTo("application/octet-stream");
    }

    @Test
    void largerFile_isToldWithItsSize() throws IOException {
        with("RLM_ARTIFACT_SIZE", "1KB");
        assertThat(text(kept("", new byte[0]))).isEmpty();
        with("RLM_ARTIFACT_SIZE", "1KB");
        Path file = Files.write(folder.resolve("large"), new byte[1_001]);
        try (Run run = run()) {
            run.artifact(file);
            run.artifact("large", "", new byte[1_002]);
        }
        sinks.close();
        List<ArtifactSaved> all = sink.events(ArtifactSaved.class);
        assertAbsent(all.get(1), "too_large", 1_001);
        assertAbsent(all.get(2), "too_large", 1_002);
    }

    @Test
    void boundThatNoQueueHolds_isRefused() {
        assertThatThrownBy(() -> sinks(Map.of("RLM_ARTIFACT_SIZE", "1GB")))
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContaining("RLM_ARTIFACT_SIZE")
                .hasMessageContaining("at most 64MiB");
    }

    @Test
    void symbolicLink_isNotFollowed() throws IOException {
        Path target = Files.writeString(folder.resolve("key"), "private");
        Path link = Files.createSymbolicLink(folder.resolve("out.txt"), target);
        assertAbsent(kept(link), "no_regular_file", 0);
    }

    @Test
    void pipe_isNotWaitedFor() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertAbsent(kept(pipe), "no_regular_file", 0);
    }

    @Test
    void folderAndMissingFile_areTold() {
        try (Run run = run()) {
            run.artifact(folder);
            run.artifact(folder.resolve("missing"));
        }
        sinks.close();
        assertThat(sink.events(ArtifactSaved.class))
                .extracting(ArtifactSaved::absence)
                .containsExactly("no_regular_file", "unreadable");
    }

    @Test
    void interruptedThread_keepsFilesToo_andStaysInterrupted() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "text");
        Run run = run();
        Thread.currentThread().interrupt();
        run.artifact(file);
        assertThat(Thread.interrupted()).isTrue();
        run.close();
        assertThat(text(last())).isEqualTo("text");
    }

    @Test
    void fileAfterTheRunsEnd_isCounted() {
        Run run = run();
        run.complete("");
        run.artifact("late", "", PICTURE);
        run.artifact(folder.resolve("late"));
        sinks.close();
        assertThat(sink.events(ArtifactSaved.class)).isEmpty();
        assertThat(sinks.statuses().get(0).ledger().dropped()).containsEntry("after_end", 2L);
    }

    @Test
    @SuppressWarnings("NullAway") // as callers in other languages may
    void whatIsNoFile_isCounted() {
        Run run = run();
        run.artifact(null);
        run.artifact(null, null, null);
        run.artifact(" ", "", PICTURE);
        run.complete("");
        sinks.close();
        assertThat(sinks.statuses().get(0).ledger().dropped()).containsEntry("invalid", 3L);
    }

    @Test
    void filesThatASinkDoesNotTake_leaveRoomForOtherEvents() {
        CountDownLatch stuck = new CountDownLatch(1);
        Sinks hub = Sinks.builder()
                .add("stuck", new Recorder() {
                    @Override
                    public void onEvent(Event event) {
                        Threads.await(stuck);
                        super.onEvent(event);
                    }
                })
                .build();
        try (Run run = hub.startRun(RunSpec.builder("env").build())) {
            for (int i = 0; i < 8; i++) {
                run.artifact("large", "image/png", new byte[10_000_000]);
            }
            for (int i = 0; i < 100; i++) {
                run.startStep().complete("x".repeat(1_000));
            }
            run.complete("");
        }
        stuck.countDown();
        hub.close();
        assertThat(hub.statuses().get(0).ledger().dropped()).containsOnly(Map.entry("queue_full", 4L));
    }

    // ---- secrets

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/json", "application/octet-stream", "image/svg+xml", ""})
    void text_isKeptWithoutItsSecrets_whateverItSaysItIs(String mediaType) throws Exception {
        byte[] raw = ("é a " + SECRET + " b").getBytes(StandardCharsets.UTF_8);
        ArtifactSaved kept = kept(mediaType, raw);
        assertThat(text(kept)).startsWith("é a [REDACTED:registered:").endsWith(" b");
        assertThat(kept.sha256()).isEqualTo(sha256(text(kept).getBytes(StandardCharsets.UTF_8)));
        assertThat(kept.size()).isEqualTo(text(kept).getBytes(StandardCharsets.UTF_8).length);
    }

    @Test
    void name_mediaTypeAndPath_areKeptWithoutSecrets() throws IOException {
        Path file = Files.writeString(folder.resolve(SECRET + ".txt"), "x");
        ArtifactSaved kept = kept(file);
        assertThat(kept.name() + kept.path()).doesNotContain(SECRET).contains("[REDACTED:registered:");
    }

    @Test
    void picture_isKeptAsItIs() throws Exception {
        assertThat(kept("image/png", PICTURE).sha256()).isEqualTo(sha256(PICTURE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ISO-8859-1", "UTF-16LE"})
    void picture_withASecretInIt_isNotKept(String encoding) {
        byte[] secret = (SECRET + "\u00ff").getBytes(Charset.forName(encoding));
        byte[] picture = Arrays.copyOf(PICTURE, PICTURE.length + secret.length);
        System.arraycopy(secret, 0, picture, PICTURE.length, secret.length);
        assertAbsent(kept("image/png", picture), "secret", picture.length);
    }

    @Test
    void textOfAnotherEncoding_isNotKept() {
        assertAbsent(kept("text/plain", "caf\u00e9".getBytes(StandardCharsets.ISO_8859_1)), "not_utf8", 4);
    }

    @Test
    void textOfTwoBytesACharacter_isNoText() {
        assertAbsent(kept("text/csv", "a,b".getBytes(StandardCharsets.UTF_16LE)), "not_utf8", 6);
    }

    @Test
    void otherBinaryFile_isNotKept_unlessAskedFor() throws Exception {
        assertAbsent(kept("application/zip", PICTURE), "binary", PICTURE.length);
    }

    @Test
    void otherBinaryFile_isKeptWhereAskedFor() throws Exception {
        with("RLM_ARTIFACT_BINARY", "true");
        assertThat(kept("application/zip", PICTURE).sha256()).isEqualTo(sha256(PICTURE));
    }

    @Test
    void withoutRedaction_allIsKeptAsItIs() throws Exception {
        with("RLM_REDACT", "false");
        byte[] raw = SECRET.getBytes(StandardCharsets.UTF_16LE);
        assertThat(kept("text/plain", raw).sha256()).isEqualTo(sha256(raw));
    }

    @Test
    void redactionThatFails_keepsNothing() {
        sinks.close();
        sinks = Sinks.builder()
                .add("recorder", sink)
                .redactor((text, findings) -> {
                    if (text.contains("of the file")) {
                        throw new IllegalStateException();
                    }
                })
                .build();
        assertAbsent(kept("text/plain", "of the file".getBytes(StandardCharsets.UTF_8)), "redaction_failed", 11);
    }

    @Test
    void publishedFile_isBoundedAndWithoutSecrets() {
        byte[] raw = ("a " + SECRET).getBytes(StandardCharsets.UTF_8);
        ArtifactSavedBuilder event = ArtifactSavedBuilder.builder()
                .run(RunInfoBuilder.builder()
                        .runId("r")
                        .startedAt(Instant.EPOCH)
                        .environment("e")
                        .build())
                .seq(2)
                .name("n")
                .mediaType("text/plain")
                .sha256("raw")
                .path("");
        sinks.publish(event.content(new FileContent(raw.length, () -> raw)).build());
        sinks.publish(
                event.seq(3).content(new FileContent(20_000_000, () -> raw)).build());
        sinks.close();
        List<ArtifactSaved> all = sink.events(ArtifactSaved.class);
        assertThat(text(all.get(0))).startsWith("a [REDACTED:registered:");
        assertThat(all.get(1).absence()).isEqualTo("too_large");
        assertThat(all.get(1).content()).isNull();
    }
}
