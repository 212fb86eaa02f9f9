{
  description = "Inspects, compares and guards MCP servers";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable"; # which has the Go of go.mod

  outputs = { self, nixpkgs }: {
    packages = nixpkgs.lib.genAttrs [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ] (system:
      let pkgs = nixpkgs.legacyPackages.${system}; in {
        default = pkgs.buildGoModule rec {
          pname = "mcpctl";
          version = self.shortRev or "devel";
          src = self;
          vendorHash = "sha256-oh5Y1/EYudn/7jqEsIlfdh9umhSDQRpwJcwFgSnjAI4="; # go test . -run TestFlake -update
          subPackages = [ "cmd/mcpctl" ];
          ldflags = [ "-s" "-w" "-X main.buildVersion=${version}" ];
          env.CGO_ENABLED = 0;
          doCheck = false; # CI has run the tests
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/mcpctl man --output mcpctl.1
            installManPage mcpctl.1
            for shell in bash zsh fish; do
              $out/bin/mcpctl completion $shell >mcpctl.$shell
            done
            installShellCompletion --cmd mcpctl mcpctl.{bash,zsh,fish}
          '';
          meta = {
            homepage = "https://github.com/mcpctl/mcpctl";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "mcpctl";
          };
        };
      });
  };
}
