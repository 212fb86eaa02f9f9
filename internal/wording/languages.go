package wording

// A language is how it says what attacks are made of: parts of patterns. Two that belong together may stand
// in either order in a sentence.
type language struct {
	words           string // an attack has one of these, in lower case
	user            string
	ignore, earlier string // to ignore; earlier instructions
	hide            string // to hide, or not to mention
	agreed, unasked string // has agreed already; without asking
	pass, private   string // to pass on; the conversation, the prompt, the environment
	other           string // to change a recipient or to add a hidden one, and what does not fit the rest
}

// inLanguages returns the attacks of each language.
func inLanguages() []attack {
	var all []attack
	for _, l := range languages {
		const address = `(?:https?://|[\w.+-]+@[\w-]+\.\w)`
		all = append(all, attack{"in another language",
			"translated tool poisoning, OWASP MCP Top 10, MCP03", either(l.words), patterns(
				near(l.ignore, l.earlier), near(l.hide, l.user), near(l.agreed, l.user),
				near(l.unasked, l.user+"|"+l.agreed), near(l.pass, l.private), "(?i)"+l.other,
				"(?i)(?:"+l.user+"|"+l.private+")[^.!?。\n]{0,40}(?:"+l.pass+")[^.!?。\n]{0,30}"+address),
			false})
	}
	return all
}

// near returns a pattern for two others in one sentence.
func near(a, b string) string {
	const gap = `[^.!?。！？।\n]{0,60}?`
	a, b = "(?:"+a+")", "(?:"+b+")"
	return "(?i)" + a + gap + b + "|" + b + gap + a
}

var languages = []language{
	{ // Chinese
		words:   "用户|用戶|使用者|客户|指令|指示|说明|提示|规则|对话|聊天|会话|环境变量|密送|收款|收件|<重要",
		user:    `用户|用戶|使用者|客户`,
		ignore:  `忽略|无视|無視|忘记|忘掉`,
		earlier: `(?:之前|以前|此前|先前|前面|上述|以上|系统|所有|全部)[^。\n]{0,6}(?:指令|指示|说明|提示|规则)`,
		hide: `(?:不要|别|请勿|切勿|不得|无需|不能|不可)[^。\n]{0,2}(?:告诉|告知|通知|透露|提及|提到)|` +
			`保密|隐瞒|瞒着|悄悄|不知情`,
		agreed: `(?:已经?|事先)[^。，\n]{0,6}(?:同意|授权|批准|许可)了?(?:所有|全部|一切|任何|每)|` +
			`获得[^。，\n]{0,4}(?:授权|同意|许可)`,
		unasked: `跳过[^。，\n]{0,4}(?:确认|批准)|(?:无需|不必|不要|不用)再?次?(?:确认|询问|征求)`,
		pass:    `放入|放到|写入|填入|填写|发送|包含|附上|附加|粘贴|传递|输出|传入|提供|复制`,
		private: `(?:完整|全部|整个|所有)的?(?:对话|聊天|会话)|你的?[^。，\n]{0,6}系统(?:提示|指令)|` +
			`(?:所有|全部)的?环境变量`,
		other: `(?:密送|密件抄送|暗送)[^。\n]{0,40}@|@[^。\n]{0,40}(?:密送|密件抄送|暗送)|` +
			`(?:收款|收件)(?:人|账号|账户|地址)[^。\n]{0,4}(?:改|换|替换)|<重要(?:指令|指示)?>|` +
			`(?:不要|别|请勿|切勿|不得)[向对](?:用户|使用者|客户)[^。\n]{0,4}(?:提|说|透露|告)|` +
			`(?:不要|别|请勿|切勿|不得|不能)让(?:用户|使用者|客户)[^。\n]{0,4}(?:知道|发现|察觉|看到|得知)`,
	},
	{ // Spanish
		words:   "usuari|cliente|instruccion|indicacion|conversaci|entorno|sistema|oculta|destinatari",
		user:    `usuari[oa]s?\b|\bclientes?\b`,
		ignore:  `\bignor[ae]n?\b|\bolvid[ae]n?\b|\bdescart[ae]n?\b|\bcaso omiso\b|\bno tengas? en cuenta\b`,
		earlier: `\b(?:instrucciones|reglas|indicaciones) (?:anteriores|previas|del sistema)\b`,
		hide: `\bno (?:se )?l?[oe]?\s*(?:digas?|menciones?|informes?|cuentes?|avises?|reveles?)\b|` +
			`\bocult[ae] est[eao]|\besconde|\ben secreto\b|\ba escondidas\b|\bsin que\b[^.\n]{0,20}\bsepa|` +
			`\bno (?:debe|puede) (?:saber|enterarse|ver esto)`,
		agreed: `\bya (?:ha |dio |otorgó )?(?:dado )?` +
			`(?:aprob|autoriz|acept|consint|su consent|su acuerdo)\w*`,
		unasked: `\b(?:no|sin) (?:pidas?|pedir|solicit\w+|esper\w+) (?:\w+ )?` +
			`(?:confirmaci|permiso|autorizaci|aprobaci)`,
		pass: `\b(?:incluy|pon|env[ií]|escrib|copi|pasa|adjunt|agreg|añad)\w*`,
		private: `\btoda la conversación|\bconversación (?:completa|entera)\b|` +
			`\bhistorial (?:completo )?de la conv|\bprompt del? sistema\b|` +
			`\btus instrucciones (?:de sistema|iniciales)\b|\btodas las variables de entorno\b`,
		other: `copia oculta\b[^.\n]{0,30}@|@[^\n]{0,40}copia oculta|` +
			`\b(?:cambi|reemplaz|sustitu)\w+ (?:el|al) destinatario\b`,
	},
	{ // French
		words: "utilisat|consigne|instruction|précédent|precedent|antérieur|conversation|environnement|" +
			"système|systeme|cachée|destinataire",
		user: `\butilisat(?:eur|rice)s?\b`,
		ignore: `\bignore[rz]?\b|\boublie[rz]?\b|\bne (?:tiens|tenez) (?:pas|aucun) compte\b|` +
			`\bfai(?:s|tes) abstraction\b`,
		earlier: `\b(?:instructions|consignes) (?:pr[ée]c[ée]dentes|ant[ée]rieures|du syst[èe]me)\b`,
		hide: `\b(?:parle|parlez|dis|dites|mentionnez?|informez?|signalez?) (?:surtout )?` +
			`(?:pas|rien|jamais)\b|` +
			`\bcachez (?:ce|ça|la|le)\w*|\bdissimule|\bà l'insu\b|\b(?:secrète|en secret)\b|` +
			`\bne doi(?:t|vent) (?:pas|rien|jamais)\b[^.\n]{0,10}\b(?:savoir|voir|apprendre)\b`,
		agreed: `\ba d[ée]j[àa] (?:approuv|autoris|consenti|accept|valid|donn)|\ba donné son accord pour tou`,
		unasked: `\b(?:sans|ne) (?:demande[rz]?|attend\w+) (?:pas |jamais )?(?:de |la |l'|son )*` +
			`(?:confirmation|accord|autorisation|permission|consentement)`,
		pass: `\b(?:met(?:s|tez|tre)|inclu\w+|envo(?:ie|yez)|recopie\w*|copie\w*|ajoute\w*|transm\w+|` +
			`joi(?:ns|gnez))\b|[ée]cri(?:s|vez)\b`,
		private: `\b(?:toute|l'intégralité de) la conversation\b|\bconversation (?:compl[èe]te|enti[èe]re)|` +
			`\b(?:prompt|votre message) syst[èe]me|\b(?:tes|vos) instructions (?:initiales|syst[èe]me)\b|` +
			`\btoutes les variables d'environnement`,
		other: `copie cachée[^.\n]{0,30}@|@[^\n]{0,40}copie cachée|` +
			`\b(?:change|remplace)[rz]? le destinataire\b`,
	},
	{ // German
		words: "nutzer|anwender|kunde|anweisung|instruktion|gespräch|unterhaltung|system-prompt|" +
			"systemprompt|umgebungsvariable|empfänger",
		user:    `nutzer\w*|anwender\w*|\bkunde\w*`,
		ignore:  `\bignorier\w*|\bvergiss\b|\bvergessen Sie\b|\bmissacht\w*`,
		earlier: `(?:vorherig|bisherig|vorig|fr[üu]her|obig)\w* (?:Anweisung|Instruktion|Regel|Vorgabe)\w*`,
		hide: `\bverheimlich\w*|\bverschweig\w*|\bverbirg\b|` +
			`\b(?:darf|soll) (?:davon |das |dies )?(?:nicht|nie)[^.\n]{0,20}\b(?:erfahren|wissen|merken)\b`,
		agreed: `\bhat\b[^.\n]{0,40}\b(?:bereits|schon|vorab)\b[^.\n]{0,40}` +
			`(?:zugestimmt|genehmigt|erlaubt|eingewilligt|freigegeben)`,
		unasked: `\bohne (?:R[üu]ckfrage|Best[äa]tigung|Zustimmung)\b|\bfrag\w* nicht\b`,
		pass:    `[üu]berg(?:ib|eben)\b|\b(?:schreib|sende|f[üu]ge|kopier|h[äa]nge|trage)\w*`,
		private: `\b(?:gesamt|ganz|vollständig|komplett)\w* (?:Gespr[äa]ch|Unterhaltung|Chat|Dialog)\w*|` +
			`\bdein\w* System-?Prompt|\balle Umgebungsvariablen\b`,
		other: `\b(?:sag|informier|verrat|erz[äa]hl|melde|zeig)(?:e|en|t)? (?:Sie )?(?:dem|den) ` +
			`(?:Benutzer|Nutzer|Anwender|Kunden) (?:nicht|nie)|\bhalt\w*\b[^.\n]{0,40}nutzer geheim\b|` +
			`Blindkopie[^.\n]{0,30}@|\b(?:ersetz|änder)\w* den Empfänger\b`,
	},
	{ // Portuguese
		words:   "usuári|usuari|utilizador|cliente|instruç|instruc|conversa|ambiente|sistema|destinatári",
		user:    `usu[áa]ri[oa]s?\b|utilizador\w*|\bcliente\b`,
		ignore:  `\bignor[ae]m?\b|\bdesconsider[ae]\b|\besqueça`,
		earlier: `\binstru[çc][õo]es (?:anteriores|pr[ée]vias|do sistema)`,
		hide: `\bn[ãa]o (?:conte|diga|informe|revele|mencione|avise)\b|\bescond[ae]\b|` +
			`\boculte (?:isto|esta)|\bem segredo\b|\bn[ãa]o (?:deve|pode) saber\b`,
		agreed:  `\bj[áa] (?:aprov|autoriz|consent|aceit|concord|deu)\w*`,
		unasked: `\b(?:n[ãa]o|sem) (?:pe[çc]a|pedir|solicit\w+) (?:confirma|permiss|autoriza|aprova)`,
		pass:    `\b(?:inclu|envi|escrev|copi|coloque|anex|adicion)\w*`,
		private: `\btoda a conversa\b|\bconversa (?:completa|inteira)\b|\bprompt d[oe] sistema\b|` +
			`\btodas as variáveis de ambiente`,
		other: `cópia oculta\b[^.\n]{0,30}@|\b(?:altere|troque|substitua) o destinatário`,
	},
	{ // Italian
		words:   "utent|istruzion|conversazion|ambiente|sistema|destinatari",
		user:    `\butent[ei]\b`,
		ignore:  `\bignora(?:re|te)?\b|\bdimentica(?:re|te)?\b`,
		earlier: `\bistruzioni (?:precedenti|di sistema)\b`,
		hide:    `\bnon (?:dir(?:e|lo|gli)|rivelare|informare|menzionare|deve sapere)\b|\bnascondi\b`,
		agreed:  `\bha già (?:approvato|autorizzato|acconsentito|accettato|dato)\b`,
		unasked: `\b(?:non|senza) chiedere (?:la )?(?:conferma|autorizzazione|approvazione)\b`,
		pass:    `\b(?:includ|invia|scriv|copi|inserisc|aggiung|allega)\w*`,
		private: `\b(?:tutta la |l'intera )conversazione\b|\bprompt di sistema\b|` +
			`\btutte le variabili d'ambiente\b`,
		other: `copia nascosta[^.\n]{0,30}@|\b(?:cambia|sostituisci) il destinatario\b`,
	},
	{ // Russian
		words: "пользовател|клиент|инструкц|указани|диалог|переписк|разговор|промпт|окружения|копи|" +
			"получател",
		user:    `пользовател\pL*|клиент\pL*`,
		ignore:  `игнорируй\pL*|забудь\pL*`,
		earlier: `(?:предыдущ|прежн|системн)\pL* (?:инструкц|указан|правил|команд)\pL*`,
		hide: `не (?:говори|сообщай|рассказывай|показывай|раскрывай|упоминай)\pL*|` +
			`скро[йю]\pL* [^.\n]{0,20}от |втайне|в секрете|не долж\pL* (?:знать|узнать|заметить)`,
		agreed:  `уже (?:одобрил|разрешил|согласил|подтвердил|дал)\pL*`,
		unasked: `подтверждени\pL* не (?:требуется|нужно)|не (?:спрашивай|запрашивай)\pL*`,
		pass:    `переда[йв]\pL*|отправ\pL*|запиши\pL*|включи\pL*|добав\pL*|скопируй\pL*|помести\pL*`,
		private: `(?:весь|всю|полн\pL*) (?:диалог|разговор|чат|переписк)\pL*|сво\pL* системн\pL* промпт|` +
			`все переменные окружения`,
		other: `скрыт\pL* копи\pL*[^.\n]{0,30}@|(?:измени|замени)\pL* получател`,
	},
	{ // Japanese
		words:   "ユーザ|指示|命令|会話|チャット|プロンプト|環境変数|宛先",
		user:    `ユーザー?`,
		ignore:  `無視|忘れ`,
		earlier: `(?:以前|これまで|前|上記)の(?:すべての)?(?:指示|命令)`,
		hide:    `(?:言わ|伝え|知らせ|報告し|教え|話さ)ない|秘密に|内緒|(?:気づか|知ら)れないよう`,
		agreed:  `(?:すでに|既に|事前に)[^。\n]{0,8}(?:承認|同意|許可)し`,
		unasked: `確認(?:は|を)[^。\n]{0,4}(?:不要|求めない)|確認なしで`,
		pass:    `に(?:入れ|書|含め|渡|コピー|貼り付け|添付|送)`,
		private: `会話(?:履歴)?(?:全体|全文)|(?:すべて|全て)の(?:会話|チャット|環境変数)|システムプロンプト`,
		other:   `(?:宛先|受取人)を[^。\n]{0,30}(?:変更し|置き換え)て`,
	},
	{ // Arabic
		words:   "مستخدم|العميل|التعليمات|الأوامر|المحادثة|النظام|البيئة|المستلم",
		user:    `المستخدم|للمستخدم|العميل`,
		ignore:  `تجاهل|انسَ?`,
		earlier: `(?:التعليمات|الأوامر) السابقة|تعليمات النظام`,
		hide:    `لا (?:تخبر|تذكر|تكشف|تبلغ)|دون علم|(?:ألا|لا) (?:يعلم|يعرف)|أخف`,
		agreed:  `(?:وافق|أذن)[^.\n]{0,20}(?:مسبق|بالفعل|جميع|كل)`,
		unasked: `لا تطلب (?:ال)?(?:تأكيد|موافقة)|دون (?:تأكيد|موافقة)`,
		pass:    `ضع|اكتب|أرسل|أضف|انسخ|أدرج|مرر`,
		private: `المحادثة (?:الكاملة|بأكملها|كاملة)|(?:كامل|كل) المحادثة|موجه النظام|` +
			`(?:جميع|كل) متغيرات البيئة`,
		other: `نسخة مخفية[^.\n]{0,30}@|وافق المستخدم مسبق|(?:غيّر|غير|استبدل) المستلم`,
	},
	{ // Hindi
		words:   "उपयोगकर्ता|यूज़र|निर्देश|बातचीत|प्रॉम्प्ट|प्राप्तकर्ता",
		user:    `उपयोगकर्ता|यूज़र`,
		ignore:  `अनदेखा|नज़रअंदाज़|भूल जा`,
		earlier: `(?:पिछले|पहले)[^।\n]{0,12}निर्देश`,
		hide:    `(?:न|मत|नहीं) बता|छिपाकर|छिपाएं|गुप्त रखें`,
		agreed:  `पहले (?:ही|से)[^।\n]{0,30}(?:दे दी|दे चुक|स्वीकृ|सहमति)|(?:अनुमति|सहमति|स्वीकृति) पहले`,
		unasked: `पुष्टि (?:न|मत|के बिना)|बिना पुष्टि`,
		pass:    `भेज|लिख|डाल|शामिल`,
		private: `(?:पूरी|सारी) (?:बातचीत|चैट)[^।\n]{0,20}(?:तर्क|में)|में[^।\n]{0,10}पूरी बातचीत|` +
			`सिस्टम प्रॉम्प्ट`,
		other: `गुप्त प्रति[^।\n]{0,30}@|प्राप्तकर्ता को बदल`,
	},
	{ // Korean
		words:   "사용자|지시|명령|대화|프롬프트|환경",
		user:    `사용자`,
		ignore:  `무시|잊`,
		earlier: `(?:이전|위)의?\s*(?:모든\s*)?(?:지시|명령|지침)`,
		hide:    `(?:말하|알리)지\s*마|비밀로|숨기세요|모르게`,
		agreed:  `이미[^.\n]{0,12}(?:승인|동의|허용)했`,
		unasked: `확인[^.\n]{0,6}(?:필요 없|없이|묻지)`,
		pass:    `보내|넣으|쓰세요|포함|전달|복사`,
		private: `전체 (?:대화|채팅)|대화 전체|시스템 프롬프트|모든 환경\s*변수`,
		other:   `숨은 참조[^.\n]{0,30}@`,
	},
}
