package dev.rlm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Tokens of servers: where they come from, which headers have them, and the files that hold them. */
class TokenTest {
    private static final String SECRET = "made-up-".repeat(2);

    @TempDir
    private Path folder;

    private static Token token(String value) {
        return Token.of(SinkConfig.of(Map.of("RLM_X_TOKEN", value)), "RLM_X_TOKEN");
    }

    @Test
    void token_isTheOneThatIsConfigured_elseANewOne() {
        assertThat(token(SECRET).value()).isEqualTo(SECRET);
        assertThat(token(SECRET).isMade()).isFalse();
        Token made = Token.of(SinkConfig.of(Map.of()), "RLM_X_TOKEN");
        assertThat(made.isMade()).isTrue();
        assertThat(made.value())
                .matches("[0-9a-f]{32}")
                .isNotEqualTo(Token.random().value());
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifteen-letters", "with a blank in it", "with-ümlauts-in-it"})
    void tokenThatIsTooEasy_orNoHeaderCanHave_isRefusedUntold(String value) {
        assertThatThrownBy(() -> token(value))
                .isInstanceOf(SinkConfigException.class)
                .hasMessage("RLM_X_TOKEN is not valid: expected 16 to 512 visible ASCII characters");
    }

    @Test
    void fileThatEverybodyMayWriteTo_isRefused() throws Exception {
        Path file = Files.writeString(folder.resolve("tokens"), "job " + SECRET + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(Token.named(file)).containsOnlyKeys("job");

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThatThrownBy(() -> Token.named(file))
                .isInstanceOf(UsageException.class)
                .hasMessage(file + " can be written to by everybody: a token there is anybody's (chmod 600)");
        TokenFile option = new TokenFile();
        new CommandLine(option).parseArgs("--token-file", file.toString());
        assertThatThrownBy(() -> option.token(SinkConfig.of(Map.of()), "RLM_X_TOKEN"))
                .isInstanceOf(UsageException.class);
    }

    @Test
    void header_hasItBehindItsScheme() {
        Token token = token(SECRET);
        assertThat(List.of("Bearer " + SECRET, "bearer   " + SECRET + " ")).allMatch(token::isIn);
        assertThat(List.of(
                        "",
                        SECRET,
                        "Basic " + SECRET,
                        "Bearer " + SECRET + "x",
                        "Bearer",
                        "Bearer " + SECRET.substring(1)))
                .noneMatch(token::isIn);
        assertThat(token.isIn(null)).isFalse();
    }

    @Test
    void file_tellsTokensOfNames() throws Exception {
        Path file = Files.writeString(
                folder.resolve("tokens"), "# jobs\n\n one \t" + SECRET + "1\ntwo " + SECRET + "2\r\n");

        Map<String, Token> tokens = Token.named(file);

        assertThat(tokens.keySet()).containsExactly("one", "two");
        assertThat(tokens.values()).extracting(Token::value).containsExactly(SECRET + "1", SECRET + "2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "two short",
                "made-up-made-up-",
                "a/b made-up-made-up-",
                "one made-up-made-up-",
                "two made-up-made-up- 3"
            })
    void lineOfAFile_thatIsNotValid_isToldByItsNumber_withoutWhatItHolds(String line) throws Exception {
        Path file = Files.write(folder.resolve("tokens"), List.of("one " + SECRET, line));

        assertThatThrownBy(() -> Token.named(file))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("line 2 of " + file + " is not valid: ")
                .hasMessageNotContaining("short")
                .hasMessageNotContaining(SECRET);
    }

    @Test
    void file_withoutTokens_isRefused() throws Exception {
        Path file = Files.writeString(folder.resolve("tokens"), "# none\n");
        assertThatThrownBy(() -> Token.named(file)).hasMessageContaining("holds no token");
        assertThatThrownBy(() -> Token.named(folder.resolve("missing"))).hasMessageContaining("cannot be read");
    }

    @Test
    void fileOfAToken_isItsOwnersAlone_replacesOnlyTokens_andGoesWithItsToken() throws Exception {
        Path file = folder.resolve("token");
        token(SECRET).write(file);
        assertThat(file).hasContent(SECRET);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");

        Token next = Token.random();
        next.write(file);
        token(SECRET).deleteFrom(file);
        assertThat(file).hasContent(next.value());
        next.deleteFrom(file);
        assertThat(file).doesNotExist();

        Files.writeString(file, "a letter\n");
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("elsewhere"));
        assertThatThrownBy(() -> next.write(file)).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> next.write(link)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(file).hasContent("a letter");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactlyInAnyOrder(file, link);
        }
    }
}
