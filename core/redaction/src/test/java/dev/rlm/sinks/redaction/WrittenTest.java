package dev.rlm.sinks.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How passwords and credentials are written, and what only looks like one. */
class WrittenTest {
    private static String redacted(String text) {
        Redaction redaction = Redactions.plain();
        return redaction.text(text);
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.datasource.password=@@\nspring.x=1",
                "spring.datasource.password: @@",
                "host=db port=5432 password=@@ dbname=app",
                "protocol=https\nhost=git.internal\nusername=me\npassword=@@\n",
                "web1 ansible_user=me ansible_password=@@ ansible_port=22",
                "web1 ansible_ssh_pass=@@",
                "ansible_become_pass: @@",
                "<password>@@</password>",
                "<server><username>me</username><password>@@</password></server>",
                "<property name=\"password\" value=\"@@\"/>",
                "<add key=\"DbPassword\" value=\"@@\" />",
                "<entry key=\"db.password\">@@</entry>",
                "dataSource.setPassword(\"@@\");",
                "builder.password(\"@@\").build()",
                "withPassword('@@')",
                "define('DB_PASSWORD', '@@');",
                "page.fill(\"#password\", \"@@\")",
                "CREATE USER 'me'@'%' IDENTIFIED BY '@@';",
                "ALTER USER me IDENTIFIED WITH mysql_native_password BY '@@'",
                "CREATE ROLE me LOGIN PASSWORD '@@';",
                "ALTER LOGIN sa WITH PASSWORD = '@@'",
                "echo 'root:@@' | chpasswd",
                "echo \"me:@@\" | sudo chpasswd",
                "chpasswd <<< 'root:@@'",
                "chpasswd <<EOF\nroot:@@\nEOF",
                "echo @@ | docker login --username me --password-stdin",
                "echo '@@' | sudo -S apt update",
                "echo @@ | passwd --stdin me",
                "env:\n- name: DB_PASSWORD\n  value: \"@@\"\n",
                "env:\n- name: DB_PASSWORD\n  value: @@\n",
                "{\"name\": \"DB_PASSWORD\", \"value\": \"@@\"}",
                "{\\\"name\\\":\\\"DB_PASSWORD\\\",\\\"value\\\":\\\"@@\\\"}",
                "network={\n ssid=\"home\"\n psk=\"@@\"\n}",
                "psk=@@\n",
                "wpa_passphrase home @@",
                "ENV DB_PASSWORD @@\n",
                "ENV DB_PASSWORD=@@\n",
                "ARG PASSWORD=@@",
                "{\"user\":\"me\",\"pass\":\"@@\"}",
                "DB_PASS=@@",
                "smtp_pass = '@@'",
                "DBPASS=@@",
                "database:\n  password: @@\n  pool: 5",
                "password: \"@@\"",
                "  pass: @@",
                "curl -u me:@@ https://a.internal",
                "curl --user 'me:@@' https://a.internal",
                "machine api.internal\n  login me\n  password @@\n",
                "machine api.internal\\nlogin me\\npassword @@\\n",
                "sshpass -p '@@' ssh me@host",
                "docker login -u me -p @@ registry.internal",
                "mysql -u root -p@@ app",
                "redis-cli -h cache -a @@ ping",
                "requirepass @@",
                "PGPASSWORD=@@ psql",
                "export PGPASSWORD='@@'",
                "db.internal:5432:app:me:@@",
                "ldapsearch -x -D cn=me -w @@ -b dc=a",
                "net user me @@ /add",
                "ConvertTo-SecureString \"@@\" -AsPlainText -Force",
                "openssl rsa -passin pass:@@ -in k",
                "jdbc:mysql://db/app?user=me&password=@@",
                "jdbc:oracle:thin:scott/@@@db:1521/x",
                "Server=db;User Id=sa;Pwd=@@;Encrypt=true",
                "wget --http-password=@@ https://a.internal",
                "--password @@",
                "--password='@@'",
                "smbclient -U me%@@ //a/b",
                "const cfg = { password: '@@' }",
                "password => '@@'",
                "requests.get(u, auth=dict(password='@@'))",
                "The password is '@@'.",
                "-Dspring.datasource.password=@@ -jar a.jar",
                "apiVersion: v1\nkind: Secret\nstringData:\n  password: @@"
            })
    void password_isFound_howeverItIsWritten(String text) {
        for (String password : List.of("Xk9mQ2vLp7wR", "q7#Lw2!mZp9x", "Sommer2024x", "tr0ub4dor-And-3")) {
            assertThat(redacted(text.replace("@@", password)))
                    .contains("[REDACTED:")
                    .doesNotContain(password)
                    .contains(text.split("@@", -1)[0].substring(0, Math.min(4, text.indexOf("@@"))));
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Authorization: OAuth @@",
                "Authorization: JWT @@",
                "Authorization: SSWS 00@@",
                "Authorization: DPoP @@",
                "Authorization: GenieKey @@",
                "Authorization: Client-ID @@",
                "Authorization: Token token=@@",
                "Authorization: Token token=\"@@\", email=\"a@b.internal\"",
                "Authorization: Klaviyo-API-Key pk_@@",
                "Authorization: Zoho-oauthtoken 1000.@@",
                "Authorization: PVEAPIToken=me@pam!id=@@",
                "Authorization: sso-key @@:@@",
                "Authorization: AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=@@",
                "Authorization: OAuth oauth_consumer_key=\"a1b2\", oauth_token=\"@@\", oauth_signature=\"@@%3D\"",
                "Authorization: Digest username=\"me\", realm=\"r\", response=\"@@\"",
                "Authorization: Hawk id=\"me\", ts=\"1\", mac=\"@@\"",
                "Authorization: SharedKey store:@@",
                "authorization: @@",
                "\"Authorization\": \"Custom-Scheme @@\"",
                "{\\\"Authorization\\\": \\\"Custom-Scheme @@\\\"}",
                "xhr.setRequestHeader('Authorization', 'Custom @@')",
                "Proxy-Authorization: NTLM @@",
                "authorization=[Custom @@]",
                "curl -H Authorization:Custom%20@@"
            })
    void authorization_isFound_ofAnyScheme(String text) {
        Random random = new Random(11);
        for (int i = 0; i < 20; i++) {
            String secret = Planted.random(random, 40, Planted.ALPHANUMERIC);
            assertThat(redacted(text.replace("@@", secret)))
                    .contains("[REDACTED:")
                    .doesNotContain(secret);
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "AccountKey: @@==",
                "aws configure\nAWS Secret Access Key [None]: @@",
                "token: @@",
                "api_key=@@",
                "  access_token = @@",
                "//registry.internal/:_authToken=@@",
                "_auth=@@",
                "AZURE_DEVOPS_EXT_PAT=@@",
                "ENV SERVICE_TOKEN @@",
                "- name: SERVICE_TOKEN\n  value: \"@@\"",
                "circle-token: @@"
            })
    void key_isFound_behindItsName(String text) {
        Random random = new Random(12);
        for (int i = 0; i < 20; i++) {
            int length = text.contains("AccountKey") ? 86 : 40;
            String secret = Planted.random(random, length, Planted.ALPHANUMERIC);
            assertThat(redacted(text.replace("@@", secret)))
                    .contains("[REDACTED:")
                    .doesNotContain(secret);
        }
    }

    @Test
    void secretKeyOfAws_isFound_whereItsIdStandsSomeWayBefore() {
        Random random = new Random(13);
        String id = "AKI" + "A" + Planted.random(random, 16, "ABCDEFGHIJKLMNOP234567");
        String secret = Planted.random(random, 40, Planted.BASE64);
        for (String between : List.of("\", \"", "\nand then\n", " | ", "', secret='", "\t\t", "\\\", \\\"")) {
            assertThat(redacted("new Credentials(\"" + id + between + secret + "\")"))
                    .doesNotContain(secret)
                    .doesNotContain(id);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"nextPageToken\": \"CAUQAA1b2c3d4e5f6g7h8i9j0KLMN\"",
                "\"next_page_token\": \"a1b2C3d4e5F6g7h8i9J0\"",
                "\"continuationToken\": \"a1b2C3d4e5F6g7h8i9J0kk\"",
                "syncToken=CPDAlvWDx70CEPDAlvWDx70CGAU1a2b3",
                "pageToken=CPDAlvWDx70CEPDAlvWDx70CGAU1a2b3&x=1",
                "https://www.example.org/items?key=summer-2024-sale-12",
                "https://www.example.org/watch?v=abc&sig=a1b2c3d4",
                "https://maps.example.org/x?signature=2024-05-06",
                "https://example.org/reset?token=step2of3",
                "assert check(\"Password123\") and password == \"Password123\"",
                "is_valid_password('hello1234')",
                "password = \"swordfish\"",
                "password: hunter2",
                "password=\"test1234\"",
                "The password must have 8 characters.",
                "login(user, password=password1)",
                "self.password = config.password2",
                "password=args.db_password_2",
                "PWD=/home/user1/project2",
                "OLDPWD=/home/user1/project2",
                "pwd=$HOME/project2",
                "PASS: test_parse_v2_of_json",
                "compass: north1234east",
                "bypass=layer1norm2x",
                "token=self.tokens[12].value3",
                "token: 0x6B175474E89094C44Da98b954EedeAC495271d0F",
                "Token: TOKEN_TYPE_2_OF_3",
                "{\"d\": \"M12.5 3.2\", \"k\": \"value\"}",
                "mkdir -p dir1234/sub5678 && docker run -p 8080:80 -u 1000:1000 image",
                "grep -u file:name1234/x",
                "cat a | sudo -S tee b",
                "authorization = base64.decodebytes(x)",
                "Authorization: see https://docs.example.org/v2/authorization2",
                "the authorization: OAuth2.0authorization is described below",
                "public_key = \"a1b2C3d4e5F6g7h8i9J0\"",
                "pad_token: \"<|endoftext|>\" and eos_token_id: 151643",
                "pattern path patch pat-rick pat1",
                "social precious conscious cio1234",
                "risk_assessment_1 task_abcdef0123456789",
                "commit 9ba6844f0c1d2e3a4b5c6d7e8f9012345678abcd",
                "\u001B[32mPASSED\u001B[0m test_api.py::test_token_2",
                "a = b =\n    c",
                "x &amp; y &lt; z %41%42%43",
                "She sold 48/2 = <<48/2=24>>24 clips in May."
            })
    void ordinaryText_isLeftAlone(String text) {
        assertThat(redacted(text)).isEqualTo(text);
    }
}
